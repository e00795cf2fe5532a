/** A part of a terminal's output: text, a control character, an escape sequence, or a control sequence with parameters. */
export type OutputToken =
  | { type: 'text'; text: string }
  | { type: 'control'; character: string }
  | { type: 'escape'; final: string }
  | { type: 'csi'; prefix: string; parameters: number[]; final: string };

/** Maximum length of an incomplete sequence. The escape character of a longer or invalid one is ignored. */
const maxPending = 4_096;

const parts = new RegExp(
  [
    '(?<text>[^\\u0000-\\u001f\\u007f-\\u009f]+)',
    '(?<control>[\\u0000-\\u001a\\u001c-\\u001f\\u007f-\\u009f])',
    '\\u001b\\[(?<prefix>[<=>?]?)(?<parameters>[\\d;:]*)[ -/]*(?<final>[@-~])',
    // Titles, links, the clipboard and other strings: ignored.
    '\\u001b[\\]PX^_][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\|(?=\\u001b[^\\\\]))',
    // Choice of a character set.
    '\\u001b[ #%()*+][\\s\\S]',
    '\\u001b(?<escape>[^[\\]PX^_ #%()*+])',
  ].join('|'),
  'y',
);
const [esc, bell] = ['\u001b', '\u0007'];
/** The start of a sequence at the end of the output. */
const incomplete = new RegExp(`${esc}(?:\\[[<=>?]?[\\d;:]*[ -/]*|[\\]PX^_][^${bell}${esc}]*${esc}?|[ #%()*+])?$`, 'y');

/**
 * Splits the output of a terminal as ECMA-48 does, without the sequences that have no effect here. `rest` is an incomplete sequence, which
 * belongs before the next output.
 */
export function parseOutput(output: string): { tokens: OutputToken[]; rest: string } {
  const tokens: OutputToken[] = [];
  let at = 0;
  while (at < output.length) {
    parts.lastIndex = at;
    const match = parts.exec(output);
    if (match === null) {
      incomplete.lastIndex = at;
      if (output.length - at <= maxPending && incomplete.test(output)) break;
      at += 1;
      continue;
    }
    at = parts.lastIndex;
    const token = tokenOf(match.groups ?? {});
    if (token !== undefined) tokens.push(token);
  }
  return { tokens, rest: output.slice(at) };
}

function tokenOf(groups: Record<string, string | undefined>): OutputToken | undefined {
  const { text, prefix = '', parameters = '', final, escape: single, control: character } = groups;
  if (text !== undefined) return { type: 'text', text };
  if (final !== undefined) return { type: 'csi', prefix, parameters: parameters.split(/[;:]/).map(Number), final };
  if (single !== undefined) return { type: 'escape', final: single };
  return character === undefined ? undefined : { type: 'control', character };
}
