/** The part of a keyboard event that matters. */
export interface PressedKey {
  key: string;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}

const moves: Readonly<Record<string, string>> = { ArrowUp: 'A', ArrowDown: 'B', ArrowRight: 'C', ArrowLeft: 'D', Home: 'H', End: 'F' };
const others: Readonly<Record<string, string>> = {
  Enter: '\r',
  Backspace: '\u007f',
  Tab: '\t',
  Escape: '\u001b',
  Insert: '\u001b[2~',
  Delete: '\u001b[3~',
  PageUp: '\u001b[5~',
  PageDown: '\u001b[6~',
};

/**
 * What a key sends; undefined leaves it to the browser: characters, which arrive as text, and the shortcuts for copying, pasting and
 * leaving (Shift+Tab).
 */
export function keyInput({ key, ctrlKey, altKey, metaKey, shiftKey }: PressedKey, applicationKeys = false): string | undefined {
  if (metaKey || (ctrlKey && altKey)) return undefined;
  if (ctrlKey) return shiftKey ? undefined : controlCharacter(key);
  const move = moves[key];
  if (move !== undefined) return `\u001b${applicationKeys ? 'O' : '['}${move}`;
  if (key === 'Tab' && shiftKey) return undefined;
  const other = others[key];
  if (other !== undefined) return altKey ? `\u001b${other}` : other;
  return altKey && /^[ -~]$/.test(key) ? `\u001b${key}` : undefined;
}

/** Ctrl+A is 1; Ctrl+V pastes, as elsewhere in a browser. */
function controlCharacter(key: string): string | undefined {
  if (key === ' ') return '\0';
  const code = key.toUpperCase().charCodeAt(0) - 64;
  return key.length === 1 && key !== 'v' && code > 0 && code < 32 ? String.fromCharCode(code) : undefined;
}

/** Pasted text as input: lines end as by Enter, and no character of it ends the marks of a bracketed paste. */
export function pasteInput(text: string, bracketedPaste: boolean): string {
  const lines = text.replaceAll(/\r?\n/g, '\r');
  return bracketedPaste ? `\u001b[200~${lines.replaceAll('\u001b', '')}\u001b[201~` : lines;
}

const maxPiece = 8_192;

/** The input in pieces that the server takes as messages. */
export function inputPieces(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${maxPiece}}`, 'gu')) ?? [];
}
