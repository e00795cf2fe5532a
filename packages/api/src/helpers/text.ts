const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const named: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** The text in double quotes with unprintable characters escaped, as in the kubelet's messages and the downward API (Go's `%q`). */
export function quoteText(text: string): string {
  if (/^[a-zA-Z0-9 ./:;,_@=+(){}[\]<>!?#$%&*|~^'`-]*$/.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const character of text)
    quoted += named[character] ?? (character === ' ' || printable.test(character) ? character : escaped(character));
  return `${quoted}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
