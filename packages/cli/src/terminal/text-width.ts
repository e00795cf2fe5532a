import { eastAsianWidth } from 'get-east-asian-width';

/** One cell a character, each a grapheme by itself: ASCII, Latin letters, and the punctuation of the lists. The common case. */
const narrow = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e]*$/;
/** Characters that may be one grapheme with others (UAX #29); in a text without them each code point is one. */
const joining = /[\p{M}\p{Cf}\p{Emoji_Modifier}\p{Regional_Indicator}\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb\uff9e\uff9f]/u;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}]/u;
/** Characters after the first one of a grapheme that have a cell. */
const spacing = /[\p{Mc}\u0e33\u0eb3\uff9e\uff9f]/u;
/** Graphemes that are drawn as one emoji although their first code point is narrow (UTS #51). */
const emoji =
  /^(?:\p{Emoji}\ufe0f|\p{Emoji}\p{Emoji_Modifier}|\p{Regional_Indicator}{2}|\p{Extended_Pictographic}\u200d\p{Extended_Pictographic})/u;

/** Code units that a cell may have; emoji have less. Bounds the work on a long text of which little is shown. */
const maxUnitsPerCell = 16;

/** Created at the first text that needs it: the data of ICU takes 18 ms and 3 MB. */
let segmenter: Intl.Segmenter | undefined;

/** Number of cells that a terminal uses for a printable text: by grapheme, and East Asian Width (UAX #11), ambiguous characters narrow. */
export function textWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const each of graphemesOf(text)) width += widthOf(each);
  return width;
}

/** The longest start of the text, in whole graphemes, that has at most `width` cells. */
export function startOfText(text: string, width: number): string {
  const room = Math.max(0, width);
  const head = text.slice(0, room + 1);
  if (narrow.test(head)) return head.slice(0, room);
  const start = text.slice(0, (room + 1) * maxUnitsPerCell);
  return start.slice(0, unitsWithin(graphemesOf(start), room));
}

/** The longest end of the text, in whole graphemes, that has at most `width` cells. */
export function endOfText(text: string, width: number): string {
  const room = Math.max(0, width);
  if (narrow.test(text)) return text.slice(Math.max(0, text.length - room));
  return text.slice(text.length - unitsWithin(Array.from(graphemesOf(text)).reverse(), room));
}

/** The first grapheme; empty for an empty text. */
export function firstGrapheme(text: string): string {
  const [first = ''] = graphemesOf(text.slice(0, maxUnitsPerCell));
  return first;
}

/** As `padEnd` of a string, in cells. */
export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** As `padStart` of a string, in cells. */
export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - textWidth(text))) + text;
}

/** Code units of the graphemes that fit. */
function unitsWithin(graphemes: Iterable<string>, room: number): number {
  let width = 0;
  let units = 0;
  for (const each of graphemes) {
    width += widthOf(each);
    if (width > room) break;
    units += each.length;
  }
  return units;
}

function* graphemesOf(text: string): Iterable<string> {
  if (!joining.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

function widthOf(grapheme: string): number {
  const point = grapheme.codePointAt(0) ?? 0;
  if (grapheme.length === (point > 0xffff ? 2 : 1)) return invisible.test(grapheme) ? 0 : eastAsianWidth(point);
  if (emoji.test(grapheme)) return 2;
  const [base, ...marks] = Array.from(grapheme).filter((each) => !invisible.test(each));
  return base === undefined ? 0 : eastAsianWidth(base.codePointAt(0) ?? 0) + marks.filter((each) => spacing.test(each)).length;
}
