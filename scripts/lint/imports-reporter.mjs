// The output of dependency-cruiser for `npm run lint:imports`: the violations of .dependency-cruiser.cjs, and each entry that must run without Node but
// imports a module of Node through any number of files, with the chain. An entry marked `node` in scripts/bundle-budgets.json may.
// It exists because a rule with `reachable` follows the imports of types, too, which no program loads.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/pnpm.mjs';

/** Called by dependency-cruiser with its result. */
function report({ modules, summary }) {
  const budgets = JSON.parse(readFileSync(join(root, 'scripts', 'bundle-budgets.json'), 'utf8'));
  const entries = Object.keys(budgets).filter((name) => budgets[name] !== 'node');
  const problems = [...summary.violations.map(violationText), ...entriesWithNode(modules, entries.map(sourceOf))];
  const sizes = `${summary.totalCruised} modules, ${summary.totalDependenciesCruised} dependencies`;
  return { output: `${[...problems, `${problems.length} problems in ${sizes}`].join('\n')}\n`, exitCode: problems.length > 0 ? 1 : 0 };
}

export { report as default };

/** The source of an entry such as `stats/decisions`. */
function sourceOf(name) {
  const [folder, entry = 'index'] = name.split('/');
  return `packages/${folder}/src/${entry}.ts`;
}

function violationText({ rule, from, to, cycle = [] }) {
  return `${rule.name}: ${[from, ...(cycle.length > 0 ? cycle.map(({ name }) => name) : [to])].join(' → ')}`;
}

/** For each of the files that reaches modules of Node, the shortest chain to one; files that were not cruised have none. */
export function entriesWithNode(modules, files) {
  const graph = new Map(modules.map(({ source, dependencies }) => [source, dependencies.filter(isLoaded)]));
  return files.flatMap((file) => {
    const chain = chainToNode(graph, file);
    return chain ? [`runs-without-node: ${chain.join(' →\n    ')}`] : [];
  });
}

const isLoaded = ({ dependencyTypes }) => !dependencyTypes.includes('type-only');

function chainToNode(graph, file) {
  const importers = new Map([[file, undefined]]);
  for (const source of importers.keys()) {
    for (const { resolved, dependencyTypes } of graph.get(source) ?? []) {
      if (dependencyTypes.includes('core')) return [...chainTo(importers, source), `node:${resolved}`];
      if (!importers.has(resolved)) importers.set(resolved, source);
    }
  }
  return undefined;
}

function chainTo(importers, source) {
  const importer = importers.get(source);
  return importer === undefined ? [source] : [...chainTo(importers, importer), source];
}
