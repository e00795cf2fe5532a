/** Replaces control characters in external text, which must not reach the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
