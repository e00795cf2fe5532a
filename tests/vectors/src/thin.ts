import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { thin } from './thinning.js';
import { readLines, vectorFiles } from './vectors.js';

const usage = `Makes the project's own set of vectors from a full one: a few cases of each file, spread over it.

usage: npm run conformance:thin -- --from DIR [--to DIR]

  --from DIR   folder with the full set
  --to DIR     what is replaced (default: tests/vectors/recorded)`;

const { from, to } = parseArgs({
  options: {
    from: { type: 'string', default: '' },
    to: { type: 'string', default: fileURLToPath(new URL('../recorded', import.meta.url)) },
  },
}).values;

if (!from || !statSync(from, { throwIfNoEntry: false })?.isDirectory()) {
  console.error(usage);
  process.exit(2);
}

rmSync(to, { recursive: true, force: true });
const files = vectorFiles(from);
let cases = 0;
let bytes = 0;
for (const file of files) {
  const chosen = thin(readLines(join(from, file)));
  const text = `${chosen.join('\n')}\n`;
  mkdirSync(dirname(join(to, file)), { recursive: true });
  writeFileSync(join(to, file), text);
  cases += chosen.length;
  bytes += Buffer.byteLength(text);
}

const companions = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
for (const file of companions) {
  cpSync(join(from, file), join(to, file));
  bytes += statSync(join(to, file)).size;
}
console.log(`${files.length} files, ${cases} cases, ${companions.length} companions, ${(bytes / 1e6).toFixed(1)} MB in ${to}`);
