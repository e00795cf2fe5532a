/** An exported declaration of a formatted source file with its docstring; undefined if the file does not export the name. */
export function declarationOf(source, name) {
  const lines = source.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^export (async )?(function\\*?|const|interface|type) ${name}\\b`).test(line));
  if (start < 0) return undefined;
  const isLast = / type /.test(lines[start].slice(0, 12)) ? (line) => line.endsWith(';') && !/^ {2}\w/.test(line) : endsDeclaration;
  const length = lines.slice(start).findIndex((line, index) => (index === 0 ? line.endsWith(';') : isLast(line)));
  return lines.slice(docstringStart(lines, start), start + length + 1).join('\n');
}

/** The line that closes a function, an interface or an initializer: it is not indented and opens nothing. */
const endsDeclaration = (line) => /^[}\])]+( as const)?;?$/.test(line);

function docstringStart(lines, start) {
  if (!lines[start - 1]?.endsWith('*/')) return start;
  let first = start - 1;
  while (!lines[first].startsWith('/**')) first -= 1;
  return first;
}
