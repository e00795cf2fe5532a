/** A text as a literal. */
export function quoted(text: string): string {
  const names: Record<string, string> = {
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  };
  return `"${[...text].map((each) => names[each] ?? each).join('')}"`;
}
