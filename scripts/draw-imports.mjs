// draw-imports.mjs [--check]: draws in docs/architecture.md what imports what, between packages and between core's folders, types included.
// The drawing shows the order of the imports: every arrow points down. A cycle, direct or indirect, is an error. Core's parts have the types of
// all parts and components in addition, which have theirs: this import is not drawn.
// It exists because dependency-cruiser draws every import; this leaves out the arrows that follow from others.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { packages } from './lib/packages.mjs';
import { root } from './lib/pnpm.mjs';

const page = join(root, 'docs', 'architecture.md');
/** They export what the others contain. */
const entries = ['index.ts', 'node.ts'];

const isTest = (file) => /\.test(-d)?\.ts$|(^|\/)test-[^/]+\.ts$/.test(file);

const typeOfComponents = /^import type \{[^}]*\b(?:Components|AgentParts)\b[^}]*\} from '(\.\.\/)+components\.js';$/gm;

/** The sources of a folder that are shipped, relative to it. */
const sources = (dir) => readdirSync(dir, { recursive: true }).filter((file) => file.endsWith('.ts') && !isTest(file.split(sep).join('/')));

/** What a file imports, as it is written there. */
function importsOf(file) {
  const text = readFileSync(file, 'utf8').replaceAll(typeOfComponents, '');
  return [...text.matchAll(/(?:^|\s)(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name);
}

function packageGraph() {
  const graph = new Map();
  for (const { name, dir } of packages()) {
    const imported = new Set();
    for (const file of sources(join(dir, 'src')))
      for (const specifier of importsOf(join(dir, 'src', file))) {
        const other = /^@nodeagent\/([^/]+)/.exec(specifier)?.[1];
        if (other !== undefined && other !== name) imported.add(other);
      }
    graph.set(name, imported);
  }
  return graph;
}

/** Core's folders, and the files beside them. */
function coreGraph() {
  const src = join(root, 'packages', 'core', 'src');
  const unit = (file) => (file.includes(sep) ? `${file.split(sep)[0]}/` : file);
  const graph = new Map();
  for (const file of sources(src)) {
    if (entries.includes(file)) continue;
    const imported = graph.get(unit(file)) ?? new Set();
    for (const specifier of importsOf(join(src, file))) {
      if (!specifier.startsWith('.')) continue;
      const target = unit(normalize(join(dirname(file), specifier.replace(/\.js$/, '.ts'))));
      if (target !== unit(file)) imported.add(target);
    }
    graph.set(unit(file), imported);
  }
  return graph;
}

/** All that is imported by way of others. Throws if something imports itself that way. */
function reachable(graph) {
  const all = new Map();
  const visit = (name, path) => {
    if (path.includes(name))
      throw new Error(`draw-imports: they import each other: ${[...path.slice(path.indexOf(name)), name].join(' -> ')}`);
    const known = all.get(name);
    if (known) return known;
    const found = new Set();
    for (const next of graph.get(name) ?? []) {
      found.add(next);
      for (const further of visit(next, [...path, name])) found.add(further);
    }
    all.set(name, found);
    return found;
  };
  for (const name of graph.keys()) visit(name, []);
  return all;
}

/** Only the arrows that do not follow from others. */
function reduced(graph) {
  const all = reachable(graph);
  return new Map(
    [...graph].map(([name, imported]) => [name, [...imported].filter((one) => ![...imported].some((other) => all.get(other)?.has(one)))]),
  );
}

/** A Mermaid flow chart, in which those with the same arrows are one box. */
function draw(graph) {
  const arrows = reduced(graph);
  const into = (name) => [...arrows].filter(([, to]) => to.includes(name)).map(([from]) => from);
  const boxes = new Map();
  for (const name of [...graph.keys()].sort()) {
    const key = `${into(name).sort()} > ${[...arrows.get(name)].sort()}`;
    boxes.set(key, [...(boxes.get(key) ?? []), name]);
  }
  const boxOf = new Map([...boxes.values()].flatMap((names, index) => names.map((name) => [name, `b${index}`])));
  const lines = [...boxes.values()].map((names) => `  ${boxOf.get(names[0])}["${names.join('<br>')}"]`);
  const edges = new Set([...arrows].flatMap(([from, to]) => to.map((name) => `  ${boxOf.get(from)} --> ${boxOf.get(name)}`)));
  return ['```mermaid', 'flowchart TD', ...lines, ...[...edges].sort(), '```'].join('\n');
}

/** The page with the drawing between its two marks. */
function withDrawing(text, mark, drawing) {
  const [begin, end] = [`<!-- ${mark}: drawn by scripts/draw-imports.mjs -->`, `<!-- end of ${mark} -->`];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`draw-imports: docs/architecture.md lacks the marks of ${mark}`);
  return `${before}${begin}\n${drawing}\n${end}${after}`;
}

const old = readFileSync(page, 'utf8');
const drawn = withDrawing(withDrawing(old, 'packages', draw(packageGraph())), "core's folders", draw(coreGraph()));
if (drawn === old) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/architecture.md does not show the imports as they are: run `node scripts/draw-imports.mjs`');
  process.exit(1);
}
writeFileSync(page, drawn);
