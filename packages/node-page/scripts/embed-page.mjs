// embed-page.mjs: writes the files of page/ as src/page-files.ts, scripts without comments and spaces, so that the package serves them
// without locating files at run time. The setup of the checkout runs it when page/ has changed; its result is not committed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const folder = new URL('../page/', import.meta.url);
const target = fileURLToPath(new URL('../src/page-files.ts', import.meta.url));

const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const lines = (text) => text.split(/(?<=\n)/).map((line) => `    ${quoted(line)},\n`);
const contentOf = (name) => {
  const text = readFileSync(new URL(name, folder), 'utf8');
  return name.endsWith('.js') ? transformSync(text, { minify: true, format: 'esm', target: 'es2022' }).code : text;
};
const files = readdirSync(folder)
  .sort()
  .map((name) => `  ${quoted(name)}: [\n${lines(contentOf(name)).join('')}  ].join(''),\n`);
const text = `// Written from page/ by scripts/embed-page.mjs.

/** The files of the page by name. */
export const pageFiles: Readonly<Record<string, string>> = {
${files.join('')}};
`;

writeFileSync(target, text);
