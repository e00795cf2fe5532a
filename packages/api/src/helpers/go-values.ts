import { quoteText } from './text.js';

const trueTexts = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const falseTexts = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

/** Parses a boolean of the kubelet's policy options, such as `true`, `T` or `1`. Throws an Error with the message of Go's `strconv`. */
export function parseGoBool(text: string): boolean {
  if (trueTexts.includes(text)) return true;
  if (falseTexts.includes(text)) return false;
  throw new Error(`strconv.ParseBool: parsing ${quoteText(text)}: invalid syntax`);
}
