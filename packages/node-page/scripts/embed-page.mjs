// embed-page.mjs: writes the files of page/ as src/page-files.ts, scripts without comments and spaces, and those of cluster-page/ as
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
const pageFile = (name) => {
  const text = textOf(`page/${name}`);
  return [name, name.endsWith('.js') ? transformSync(text, { minify: true, format: 'esm', target }).code : text];
};
const pageNames = readdirSync(pathOf('page'))
  .filter((name) => !name.endsWith('.d.ts'))
  .sort();
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
