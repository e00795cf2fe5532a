/**
 * The style of a cell: bits 0 to 4 are its colour and 5 to 9 its background, 0 for the default and 1 to 16 for the basic colours; then bold,
 * underlined and inverse.
 */
export type CellStyle = number;

export const plainStyle: CellStyle = 0;
const colourShift = 0;
const backgroundShift = 5;
const [boldBit, underlinedBit, inverseBit] = [1 << 10, 1 << 11, 1 << 12];

const withColour = (style: CellStyle, shift: number, colour: number) => (style & ~(31 << shift)) | (colour << shift);

const changes: Readonly<Record<number, (style: CellStyle) => CellStyle>> = {
  0: () => plainStyle,
  1: (style) => style | boldBit,
  4: (style) => style | underlinedBit,
  7: (style) => style | inverseBit,
  22: (style) => style & ~boldBit,
  24: (style) => style & ~underlinedBit,
  27: (style) => style & ~inverseBit,
  39: (style) => withColour(style, colourShift, 0),
  49: (style) => withColour(style, backgroundShift, 0),
};

/** The style after Select Graphic Rendition (ECMA-48, 8.3.117). Colours outside the sixteen basic ones are the default. */
export function styleAfter(style: CellStyle, parameters: readonly number[]): CellStyle {
  let next = style;
  for (let at = 0; at < parameters.length; at += 1) {
    const value = parameters[at] ?? 0;
    if (value === 38 || value === 48) {
      const isIndexed = parameters[at + 1] === 5;
      const index = isIndexed ? (parameters[at + 2] ?? 0) : 16;
      next = withColour(next, value === 38 ? colourShift : backgroundShift, index < 16 ? index + 1 : 0);
      at += isIndexed ? 2 : 4;
    } else next = changes[value]?.(next) ?? basicColour(next, value);
  }
  return next;
}

/** 30 to 37 and 90 to 97 are colours, 40 to 47 and 100 to 107 backgrounds. */
function basicColour(style: CellStyle, value: number): CellStyle {
  const isBright = value >= 90;
  const group = isBright ? value - 60 : value;
  const isBackground = group >= 40;
  const index = group - (isBackground ? 40 : 30);
  if (index < 0 || index > 7) return style;
  return withColour(style, isBackground ? backgroundShift : colourShift, index + (isBright ? 9 : 1));
}

/** The CSS classes of a style: `f2` a colour, `i` as the background, `b` bold, `u` underlined. Text on a background has one colour. */
export function styleClasses(style: CellStyle): string {
  const colour = style & 31;
  const background = style & inverseBit ? colour || 8 : (style >> backgroundShift) & 31;
  const shown = background || colour;
  return [background && 'i', shown && `f${shown}`, style & boldBit && 'b', style & underlinedBit && 'u'].filter(Boolean).join(' ');
}
