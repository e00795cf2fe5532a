/**
 * Replaces control characters in external text, which must not reach the terminal, and those that change the direction of writing: they show
 * a text in another order than it has.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');
}
