// embed-page.mjs [--check]: writes the files of page/ as src/page-files.ts, so that the package serves them without a file of its own to
// find at run time. --check changes nothing and fails when the two differ.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../page/', import.meta.url);
const target = fileURLToPath(new URL('../src/page-files.ts', import.meta.url));

const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const lines = (text) => text.split(/(?<=\n)/).map((line) => `    ${quoted(line)},\n`);
const files = readdirSync(folder)
  .sort()
  .map((name) => `  ${quoted(name)}: [\n${lines(readFileSync(new URL(name, folder), 'utf8')).join('')}  ].join(''),\n`);
const text = `// Written from page/ by scripts/embed-page.mjs.

/** The files of the page by name. */
export const pageFiles: Readonly<Record<string, string>> = {
${files.join('')}};
`;

if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  if (process.argv.includes('--check')) {
    console.error('src/page-files.ts is not what page/ gives: run node packages/node-page/scripts/embed-page.mjs');
    process.exit(1);
  }
  writeFileSync(target, text);
  console.log('written: packages/node-page/src/page-files.ts');
}
