import { describe, expect, it } from 'vitest';
import { inputPieces, keyInput, pasteInput } from './terminal-keys.js';

/** `Ctrl+Alt+x` as an event. */
function pressed(keys: string) {
  const parts = keys.split('+');
  const has = (name: string) => parts.includes(name);
  return { key: parts.at(-1) ?? '', ctrlKey: has('Ctrl'), altKey: has('Alt'), metaKey: has('Meta'), shiftKey: has('Shift') };
}

describe('a key of the terminal', () => {
  it.each([
    ['Enter', '\r'],
    ['Tab', '\t'],
    ['Backspace', '\u007f'],
    ['Escape', '\u001b'],
    ['ArrowUp', '\u001b[A'],
    ['End', '\u001b[F'],
    ['Delete', '\u001b[3~'],
    ['Ctrl+c', '\u0003'],
    ['Ctrl+d', '\u0004'],
    ['Ctrl+[', '\u001b'],
    ['Alt+b', '\u001bb'],
  ])('sends its input: %s', (keys, input) => {
    expect(keyInput(pressed(keys))).toBe(input);
  });

  it('sends arrows in the mode of applications', () => {
    expect(keyInput(pressed('ArrowUp'), true)).toBe('\u001bOA');
  });

  it.each(['a', 'Shift+Tab', 'Ctrl+v', 'Ctrl+Shift+C', 'Meta+c', 'Ctrl+Alt+q', 'F5', 'Shift', 'Ctrl+Tab', 'ä'])(
    'is left to the browser: %s',
    (keys) => {
      expect(keyInput(pressed(keys))).toBeUndefined();
    },
  );
});

describe('pasted text', () => {
  it('has the line ends of Enter, and marks around it if the program has requested them', () => {
    expect(pasteInput('a\r\nb\nc', false)).toBe('a\rb\rc');
    expect(pasteInput('a\u001b[201~b', true)).toBe('\u001b[200~a[201~b\u001b[201~');
  });

  it('is sent in pieces that split no character', () => {
    const text = `x${'😀'.repeat(9_000)}`;
    const pieces = inputPieces(text);
    expect(pieces.length).toBe(2);
    expect(pieces.join('')).toBe(text);
    expect(pieces.every((piece) => !/[\uD800-\uDFFF]/u.test(piece))).toBe(true);
    expect(inputPieces('')).toEqual([]);
  });
});
