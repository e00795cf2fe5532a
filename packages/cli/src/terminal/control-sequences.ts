/** Sequences that drawing on a terminal needs (ECMA-48, and DEC private modes). */
export const hideCursor = '\x1b[?25l';
export const showCursor = '\x1b[?25h';
export const wrapOn = '\x1b[?7h';
export const wrapOff = '\x1b[?7l';
/** From the cursor to the end of the screen. */
export const clearToEnd = '\x1b[J';
/** From the cursor to the end of the line. */
export const clearLine = '\x1b[K';
