/** Splits a line at spaces into lines of at most `width` characters; a longer word is split too. */
export function wrapText(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  let rest = text;
  while (rest.length > room) {
    const space = rest.lastIndexOf(' ', room);
    const end = space > 0 && rest.slice(0, space).trim() !== '' ? space : room;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end === space ? end + 1 : end);
  }
  return [...lines, rest];
}
