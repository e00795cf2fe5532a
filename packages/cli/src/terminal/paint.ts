import { styleText } from 'node:util';

export type Colour = 'red' | 'yellow' | 'green' | 'cyan' | 'gray';

/** Colours text whatever the stream is: whoever calls has asked {@link wantsColours} already. */
export function paint(colour: Colour, text: string): string {
  return styleText(colour, text, { validateStream: false });
}
