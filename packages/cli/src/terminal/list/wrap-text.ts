import { firstGrapheme, startOfText, textWidth } from '../text-width.js';

/** Splits a line at spaces into lines of at most `width` cells; a longer word is split too. A character wider than that becomes a space. */
export function wrapText(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  let rest = text;
  for (;;) {
    const fitting = startOfText(rest, room) || firstGrapheme(rest);
    if (fitting.length === rest.length) return [...lines, orSpace(rest, room)];
    const space = rest.lastIndexOf(' ', fitting.length);
    const end = space > 0 && rest.slice(0, space).trim() !== '' ? space : fitting.length;
    lines.push(orSpace(rest.slice(0, end), room));
    rest = rest.slice(end === space ? end + 1 : end);
  }
}

const orSpace = (line: string, room: number) => (textWidth(line) > room ? ' ' : line);
