/** A key: a character that it types, or one of these names. */
export type Key = string;

/** Sequences of xterm, and of the terminals that send others for the same keys. */
const sequences: Readonly<Record<string, string>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[5~': 'pageUp',
  '[6~': 'pageDown',
};

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'interrupt',
  '\x0c': 'redraw',
};

/** The start of an escape sequence that has not ended. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what a terminal sends
const unfinished = /^\x1b(\[[\x20-\x3f]*|O)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what a terminal sends
const token = /\x1b\[[\x20-\x3f]*[\x40-\x7e]|\x1bO[\x40-\x7e]|./gsu;

/** The keys in the bytes of a terminal, and the rest: an escape sequence whose end has not arrived, or the key Esc. Unknown keys are dropped. */
export function parseKeys(text: string): { keys: Key[]; rest: string } {
  const start = text.lastIndexOf('\x1b');
  const rest = start !== -1 && unfinished.test(text.slice(start)) ? text.slice(start) : '';
  const keys = Array.from(text.slice(0, text.length - rest.length).matchAll(token), ([found]) => keyOf(found));
  return { keys: keys.filter((key) => key !== undefined), rest };
}

function keyOf(found: string): Key | undefined {
  if (found === '\x1b') return 'escape';
  if (found.startsWith('\x1b')) return sequences[found.slice(1)];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are no text
  return controls[found] ?? (/[\x00-\x1f\x80-\x9f]/.test(found) ? undefined : found);
}
