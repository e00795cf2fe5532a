/** The next token of a JSON text: a string, a bracket or a comma. Numbers and names are skipped. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/** An object or a list that is open at a place of a JSON text. */
interface Open {
  isList: boolean;
  path: string;
  /** Names of an object so far, or the index of a list's element. */
  names: Set<string>;
  index: number;
  /** Whether the next string of an object is a name. */
  expectsName: boolean;
  name: string;
}

/** The paths of fields that valid JSON text has twice, of which a parser keeps only the last. */
export function duplicateFields(text: string): string[] {
  // Most clients send compact text, which has no duplicates if its value has the same text.
  if (JSON.stringify(JSON.parse(text)) === text) return [];
  const duplicates: string[] = [];
  const open: Open[] = [];
  const here = ({ isList, path, index, name }: Open) => (isList ? `${path}[${index}]` : path === '' ? name : `${path}.${name}`);
  for (const [part] of text.matchAll(token)) {
    const top = open.at(-1);
    if (part === '{' || part === '[') {
      const path = top ? here(top) : '';
      open.push({ isList: part === '[', path, names: new Set(), index: 0, expectsName: part === '{', name: '' });
    } else if (part === '}' || part === ']') open.pop();
    else if (part === ',' && top) {
      top.index++;
      top.expectsName = !top.isList;
    } else if (top?.expectsName) {
      top.expectsName = false;
      top.name = JSON.parse(part) as string;
      if (top.names.has(top.name)) duplicates.push(here(top));
      top.names.add(top.name);
    }
  }
  return [...new Set(duplicates)];
}
