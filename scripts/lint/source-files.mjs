// The TypeScript sources of the packages as syntax trees, for the lints of this folder.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../lib/pnpm.mjs';

/** The sources of all packages and examples without tests, as `{ path, text }`; `path` from the root of the repository. */
export function sourceFiles() {
  const below = (folder, files) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && files.test(entry.name) && !/\.(test|test-d)\.ts$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
      .filter((path) => !/\/(node_modules|dist)\//.test(path));
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`);
  return [...packages, 'examples']
    .flatMap((folder) => below(folder, /\.(ts|mjs)$/))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Calls `visit` with each node of a source text; {@link lineOf} returns the line of a node. */
export function visitNodes(path, text, visit) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const walk = (node) => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(file);
}

export const lineOf = (node) => node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;

/** Prints the problems of a lint, `file:line: text` each, and fails the process if there are any. */
export function reportProblems(name, problems) {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(`${name}: ${problems.length} problem${problems.length === 1 ? '' : 's'}`);
    process.exitCode = 1;
  }
}
