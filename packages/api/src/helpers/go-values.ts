import { quoteText } from './text.js';

const booleans: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
};

/** Parses a boolean of the kubelet's policy options, such as `true`, `T` or `1`. Throws an Error with the message of Go's `strconv`. */
export function parseGoBool(text: string): boolean {
  const value = Object.hasOwn(booleans, text) ? booleans[text] : undefined;
  if (value === undefined) throw new Error(`strconv.ParseBool: parsing ${quoteText(text)}: invalid syntax`);
  return value;
}
