import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** One small change of a source file. */
export interface Mutant {
  id: string;
  /** Path from the top of the repository. */
  file: string;
  /** Which kind of change, as Stryker names it. */
  operator: string;
  /** What is changed: offsets in the file. */
  start: number;
  end: number;
  original: string;
  replacement: string;
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** A mutant on one line: file, function, what was there and what replaced it. */
export function describeMutant(mutant: Mutant): string {
  const { file, original, replacement } = mutant;
  return `${file.replace(/^packages\//, '').replace('/src/', '/')} ${functionOf(mutant)}: ${short(original)} -> ${short(replacement)}`;
}

/** The functions and variables around a mutant, such as `createEvictionManager.synchronize`. */
export function functionOf({ file, start, end }: Pick<Mutant, 'file' | 'start' | 'end'>): string {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (node.getStart() > start || node.end < end) return;
    if (isNamedScope(node)) names.push(node.name.getText());
    ts.forEachChild(node, visit);
  };
  visit(parse(file));
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

function parse(file: string): ts.SourceFile {
  const known = parsed.get(file);
  if (known) return known;
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  parsed.set(file, source);
  return source;
}

function short(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length <= 48 ? line : `${line.slice(0, 30)} … ${line.slice(-15)}`;
}
