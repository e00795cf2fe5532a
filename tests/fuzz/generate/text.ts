import fc, { type Arbitrary } from 'fast-check';

/** Characters that readers of lines, names, paths and terminals get wrong. */
const oddCharacters = [
  '\0',
  '\n',
  '\r\n',
  '\t',
  '\u001b[31m',
  '\u2028',
  '\ufeff',
  '\u202e',
  'é',
  'e\u0301',
  '𝒳',
  '\ud800',
  '%00',
  '%',
  '\\',
  '"',
  "'",
  '../',
  '/',
  '//',
  '.',
  '-',
  ':',
  '@',
  '#',
  '?',
  '*',
  '$(A)',
  '{A}',
  '<',
  '&',
  '|',
  '`',
  ' ',
];
const longTexts = [63, 64, 128, 253, 254, 255, 256, 1_025, 20_000].map((length) => 'x'.repeat(length));

export const oddText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...oddCharacters, ...longTexts),
  fc.array(fc.constantFrom(...oddCharacters, 'a', 'b', '1'), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

/** Syntax of YAML that readers of JSON do not expect. */
export const yamlPieces: Arbitrary<string> = fc.constantFrom(
  ...[
    '- ',
    ': ',
    '&a ',
    '*a ',
    '<<: *a',
    '!!binary ',
    '!!float ',
    '| ',
    '> ',
    '---\n',
    '...\n',
    '\t',
    '{',
    '}',
    '[',
    ']',
    '#',
    '? ',
    '%YAML 1.2\n',
  ],
  ...['\ud800', '\u2028', '0o17', '1_0', '.nan', '.inf', '-.inf', '~', 'yes', '1e400', '0x7fffffffffffffff', '"\\u0000"', "'"],
);

interface Cut {
  /** Start and length in thousandths of the text. */
  at: number;
  length: number;
  insert: string;
  repeat: number;
}

/** A text with some parts cut, repeated or overwritten. */
export function mutatedText(texts: Arbitrary<string>, pieces: Arbitrary<string> = oddText, maxEdits = 3): Arbitrary<string> {
  const cut: Arbitrary<Cut> = fc.record({
    at: fc.nat(1_000),
    length: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(1_000)),
    insert: fc.oneof(fc.constant(''), pieces),
    repeat: fc.constantFrom(0, 0, 1, 2, 50),
  });
  return fc.tuple(texts, fc.array(cut, { maxLength: maxEdits })).map(([text, cuts]) =>
    cuts.reduce((current, { at, length, insert, repeat }) => {
      const start = Math.floor((at * current.length) / 1_000);
      const end = Math.min(current.length, start + Math.ceil((length * current.length) / 1_000));
      const kept = current.length < 20_000 ? current.slice(start, end).repeat(repeat) : '';
      return current.slice(0, start) + insert + kept + current.slice(end);
    }, text),
  );
}
