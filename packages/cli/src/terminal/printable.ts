/** Texts from outside on one line: no control characters reach the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
