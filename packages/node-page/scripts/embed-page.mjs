// embed-page.mjs: writes the files of page/ as src/page-files.ts, without comments and spaces and scripts with the modules of src/browser that they use, and those of cluster-page/ as
// src/cluster-page-files.ts, its script and its style sheet in one file each, so that the package serves them without locating files at run
// time. The setup of the checkout runs it when they have changed; its results are not committed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSync, transformSync } from 'esbuild';

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const textOf = (name) => readFileSync(pathOf(name), 'utf8');

const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const lines = (text) => text.split(/(?<=\n)/).map((line) => `    ${quoted(line)},\n`);

function embed(target, { from, constant, what, files }) {
  const entries = Object.entries(files).map(([name, text]) => `  ${quoted(name)}: [\n${lines(text).join('')}  ].join(''),\n`);
  const text = `// Written from ${from} by scripts/embed-page.mjs.

/** The files of ${what} by name. */
export const ${constant}: Readonly<Record<string, string>> = {
${entries.join('')}};
`;
  writeFileSync(pathOf(target), text);
}

const target = 'es2022';
const pageNames = readdirSync(pathOf('page'))
  .filter((name) => !name.endsWith('.d.ts'))
  .sort();
/** The other scripts of the page stay files, which the browser loads when it needs them. */
const scripts = pageNames.filter((name) => name.endsWith('.js')).map((name) => `./${name}`);
const scriptOf = (path) => {
  const options = { bundle: true, external: scripts, minify: true, format: 'esm', target, write: false };
  return buildSync({ ...options, entryPoints: [path] }).outputFiles[0].text;
};
const pageFile = (name) => {
  if (name.endsWith('.js')) return [name, scriptOf(pathOf(`page/${name}`))];
  const text = textOf(`page/${name}`);
  return [name, name.endsWith('.css') ? transformSync(text, { loader: 'css', minify: true, target }).code : text];
};
embed('src/page-files.ts', { from: 'page/', constant: 'pageFiles', what: 'the page', files: Object.fromEntries(pageNames.map(pageFile)) });

/** With all that it imports. */
const bundled = (name) => {
  const { outputFiles } = buildSync({ entryPoints: [pathOf(name)], bundle: true, minify: true, format: 'esm', target, write: false });
  return outputFiles[0].text;
};
embed('src/cluster-page-files.ts', {
  from: 'cluster-page/',
  constant: 'clusterPageFiles',
  what: 'the page of a cluster',
  files: {
    'cluster.css': bundled('cluster-page/cluster.css'),
    'cluster.js': bundled('cluster-page/cluster.js'),
    'icon.svg': textOf('page/icon.svg'),
    'index.html': textOf('cluster-page/index.html'),
  },
});
