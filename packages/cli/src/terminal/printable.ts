/**
 * Characters that end a line, change the order of a text, or are invisible: Unicode, "Default_Ignorable_Code_Point". Joiners and variation selectors
 * are not among them: words of several scripts, and emoji, consist of them.
 */
const hidden = '(?![\\u200c\\u200d\\ufe00-\\ufe0f])[\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]';
const unprintable = new RegExp(`(?:\\p{Cc}|${hidden})+`, 'gu');
/** JSON escapes other control characters itself. */
const unprintableInJson = new RegExp(`[\\u007f-\\u009f]|${hidden}`, 'gu');

/** Replaces characters in external text that must not reach the terminal: those that control it, and those that hide or reorder text. */
export function printable(text: string): string {
  return text.replace(unprintable, ' ');
}

/** As {@link printable}, for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The value as JSON, in which such characters are escaped. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(unprintableInJson, escapeUnits);
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`).join('');
}
