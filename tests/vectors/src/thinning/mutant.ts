import ts from 'typescript';

/** One small change of a source file. */
export interface Mutant {
  id: string;
  /** Path from the top of the repository. */
  file: string;
  /** The text of that file. */
  source: string;
  /** The kind of change, in Stryker's terms. */
  operator: string;
  /** The changed code: offsets in the file. */
  start: number;
  end: number;
  original: string;
  replacement: string;
}

/** A mutant on one line: file, function, original and replacement. */
export function describeMutant(mutant: Mutant): string {
  const [before, after] = shortPair(mutant.original, mutant.replacement);
  return `${mutant.file.replace(/^packages\//, '').replace('/src/', '/')} ${functionOf(mutant)}: ${before} -> ${after}`;
}

/** The functions and variables around a mutant, such as `createEvictionManager.synchronize`. */
export function functionOf({ file, source, start, end }: Pick<Mutant, 'file' | 'source' | 'start' | 'end'>): string {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (node.getStart() > start || node.end < end) return;
    if (isNamedScope(node)) names.push(node.name.getText());
    ts.forEachChild(node, visit);
  };
  visit(parse(file, source));
  return names.join('.') || 'module';
}

type NamedScope = ts.NamedDeclaration & { name: ts.DeclarationName | ts.BindingName };

function isNamedScope(node: ts.Node): node is NamedScope {
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return node.name !== undefined;
  if (ts.isMethodDeclaration(node) || ts.isAccessor(node)) return true;
  const isTopLevel = ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent);
  const holdsFunction = (ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node)) && isFunction(node.initializer);
  return (isTopLevel || holdsFunction) && ts.isIdentifier((node as ts.VariableDeclaration).name);
}

const isFunction = (node?: ts.Node) => node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

const parsed = new Map<string, ts.SourceFile>();

/** A run has one text of each file. */
function parse(file: string, source: string): ts.SourceFile {
  const known = parsed.get(file);
  if (known) return known;
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  parsed.set(file, tree);
  return tree;
}

/** Number of characters of equal code to show around a difference, and maximum number of differing ones. */
const context = 16;
const maxShown = 60;

function shortPair(before: string, after: string): [string, string] {
  const [a, b] = [oneLine(before), oneLine(after)];
  if (a.length <= maxShown && b.length <= maxShown) return [a, b];
  const same = commonLength(a, b, (text, i) => text[i]);
  const sameEnd = Math.min(
    commonLength(a, b, (text, i) => text.at(-1 - i)),
    Math.min(a.length, b.length) - same,
  );
  const from = Math.max(0, same - context);
  const dropped = Math.max(0, sameEnd - context);
  return [a, b].map((text) => cut(text, from, text.length - dropped)) as [string, string];
}

const oneLine = (code: string) => code.replace(/\s+/g, ' ').trim();

function commonLength(a: string, b: string, at: (text: string, i: number) => string | undefined): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && at(a, length) === at(b, length)) length++;
  return length;
}

function cut(text: string, from: number, to: number): string {
  const part = text.slice(from, to);
  const shown = part.length <= maxShown ? part : `${part.slice(0, maxShown / 2)}…${part.slice(-maxShown / 2)}`;
  return `${from > 0 ? '…' : ''}${shown}${to < text.length ? '…' : ''}`;
}
