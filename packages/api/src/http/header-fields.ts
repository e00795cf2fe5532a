import { quoteText } from '../helpers/text.js';

/** Receives a field of a header or trailer; the name is as sent. */
export type OnField = (name: string, value: string) => void;

/**
 * Reads header fields up to the empty line. Lines end with LF or CR LF; a line that starts with a blank continues the previous one. Text is
 * Latin-1. Throws for a malformed line, with Go's message, and at the end of the input.
 */
export async function readFields(nextLine: () => Promise<string>, onField: OnField): Promise<void> {
  let field: string | undefined;
  for (;;) {
    const line = withoutLineEnd(await nextLine());
    if (/^[ \t]/.test(line)) {
      if (field === undefined) throw new Error(`malformed MIME header initial line: ${line}`);
      field += ` ${trimBlanks(line)}`;
      continue;
    }
    if (field !== undefined) parseField(field, onField);
    if (line === '') return;
    if (!line.includes(':')) throw new Error(`malformed MIME header: missing colon: ${quoteText(line)}`);
    field = trimBlanks(line);
  }
}

export function withoutLineEnd(line: string): string {
  return line.replace(/\r?\n$/, '');
}

/** A name with a space is accepted, but is none of the known ones. */
function parseField(line: string, onField: OnField): void {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon);
  const value = line.slice(colon + 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the refused ones
  const isMalformed = !/^[A-Za-z0-9!#$%&'*+\-.^_`|~ ]+$/.test(name) || /[\0-\x08\n-\x1f\x7f]/.test(value);
  if (isMalformed) throw new Error(`malformed MIME header line: ${line}`);
  onField(name, trimBlanks(value));
}

function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}
