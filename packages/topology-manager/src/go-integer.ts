import { quoteText } from '@nodeagent/api/helpers';

/** Parses an integer of the kubelet's policy options. Throws an Error with the message of Go's `strconv`. */
export function parseGoInt(text: string): number {
  const value = Number(text);
  if (!/^[+-]?[0-9]+$/.test(text)) throw new Error(`strconv.Atoi: parsing ${quoteText(text)}: invalid syntax`);
  if (!Number.isSafeInteger(value)) throw new Error(`strconv.Atoi: parsing ${quoteText(text)}: value out of range`);
  return value;
}
