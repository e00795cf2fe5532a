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

/** A field of a JSON text. */
interface TextField {
  path: string;
  name: string;
  /** Index of its name in the text. */
  index: number;
  /** Whether the object already had it, so that a parser keeps only the last. */
  isRepeated: boolean;
}

/** The fields of valid JSON text, in its order. */
function* fieldsOf(text: string): Generator<TextField> {
  const open: Open[] = [];
  const here = ({ isList, path, index, name }: Open) => (isList ? `${path}[${index}]` : path === '' ? name : `${path}.${name}`);
  for (const { 0: part, index } of text.matchAll(token)) {
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
      yield { path: here(top), name: top.name, index, isRepeated: top.names.has(top.name) };
      top.names.add(top.name);
    }
  }
}

/** The fields that valid JSON text has twice. */
export function duplicateFields(text: string): TextField[] {
  // Most clients send compact text, which has no duplicates if its value has the same text.
  if (JSON.stringify(JSON.parse(text)) === text) return [];
  return [...fieldsOf(text)].filter(({ isRepeated }) => isRepeated);
}

const duplicate = (path: string) => `duplicate field ${JSON.stringify(path)}`;

/** What a strict decoder reports of an unknown field. */
export const unknownField = (path: string): string => `unknown field ${JSON.stringify(path)}`;

/** The problems of unknown fields and of those that valid JSON text has twice, in its order. */
export function fieldProblems(text: string, unknown: readonly string[]): string[] {
  const duplicates = duplicateFields(text);
  const paths = new Set(duplicates.length > 0 ? unknown : []);
  const inOrder = paths.size === 0 ? duplicates : [...fieldsOf(text)];
  const found = inOrder.flatMap(({ path, isRepeated }) => [
    ...(isRepeated ? [duplicate(path)] : []),
    ...(paths.has(path) ? [unknownField(path)] : []),
  ]);
  return [...new Set([...found, ...unknown.map(unknownField)])];
}
