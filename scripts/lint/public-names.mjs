// public-names.mjs: what packages export under one name, from their indexes and subpaths, is one declaration. Users import from several
// packages: a name that means two things makes them rename, and makes a program's reader guess. Exporting another's declaration is fine.
// It exists because other lints check one package, and api-extractor one entry.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { entriesOf } from '../lib/entries.mjs';
import { packages } from '../lib/packages.mjs';
import { root } from '../lib/pnpm.mjs';

/** Two specifications that both name their messages: the CRI and the Kubernetes API each have a Container. Both names stay. */
const specified = ['packages/cri-api/src/messages.ts', 'packages/api/src/objects/'];

/** It has all of the main entry, and gives these names of it the machine as their default. */
const shadowing = '@nodeagent/core/node';

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const entries = packages()
  .filter(({ dir }) => existsSync(join(dir, 'src', 'index.ts')))
  .flatMap(({ dir, manifest }) => entriesOf(manifest).map(({ id, source }) => ({ id, file: join(dir, source) })));
const program = ts.createProgram(
  entries.map(({ file }) => file),
  { ...options, incremental: false, tsBuildInfoFile: undefined, noEmit: true },
);
const checker = program.getTypeChecker();

/** Name -> declaration -> the entries that export it. */
const exported = new Map();
for (const { id, file } of entries) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  for (const symbol of checker.getExportsOfModule(module)) {
    const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (id === shadowing && exported.has(symbol.name)) continue;
    const declarations = exported.get(symbol.name) ?? new Map();
    exported.set(symbol.name, declarations.set(declared, [...(declarations.get(declared) ?? []), id]));
  }
}

const placeOf = (symbol) => {
  const declaration = symbol.declarations[0];
  const file = declaration.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(declaration.getStart());
  return `${relative(root, file.fileName)}:${line + 1}`;
};
const isSpecified = (symbol) => specified.some((prefix) => placeOf(symbol).startsWith(prefix));

let failed = 0;
for (const [name, declarations] of [...exported].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const symbols = [...declarations.keys()];
  if (symbols.length === 1 || symbols.every(isSpecified)) continue;
  failed++;
  console.error(`${name} has ${symbols.length} meanings:`);
  for (const [symbol, ids] of declarations) console.error(`  ${placeOf(symbol)}, exported from ${ids.join(', ')}`);
}
if (failed > 0) console.error(`public-names: ${failed} names; rename one of each, or declare it once and import it`);
process.exit(failed > 0 ? 1 : 0);
