import { styleText } from 'node:util';

export type Colour = 'red' | 'yellow' | 'green' | 'cyan' | 'gray';

/** Colours text. The caller checks {@link wantsColours}. */
export function paint(colour: Colour, text: string): string {
  return styleText(colour, text, { validateStream: false });
}

/** A text with foreground and background exchanged. */
export function invert(text: string): string {
  return styleText('inverse', text, { validateStream: false });
}
