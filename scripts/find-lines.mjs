// find-lines.mjs [--check]: docs/where-things-are.md names functions and their files; writes the line of each as a link, and checks whether
// the package's README names the function. --check only compares.
// It exists because no tool keeps line numbers of links into the sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/pnpm.mjs';

const page = join(root, 'docs', 'where-things-are.md');
const row = /\| `(\w+)` \| (?:\[[^\]]*\]\(\.\.\/)?(packages\/([^/]+)\/src\/[^\s#:)]+\.ts)[^|]*\|/g;
const problems = [];

function withLine(name, file, packageName) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const index = lines.findIndex((line) => new RegExp(`^export (async )?(function|const) ${name}\\b`).test(line));
  if (index < 0) problems.push(`${file} does not export ${name}`);
  const readme = readFileSync(join(root, 'packages', packageName, 'README.md'), 'utf8');
  if (!readme.includes(`\`${name}\``) && !new RegExp(`\\b${name}\\(`).test(readme))
    problems.push(`packages/${packageName}/README.md does not name ${name}`);
  return `| \`${name}\` | [${file}:${index + 1}](../${file}#L${index + 1}) |`;
}

const old = readFileSync(page, 'utf8');
const filled = old.replace(row, (_row, name, file, packageName) => withLine(name, file, packageName));
if (filled !== old && process.argv.includes('--check')) problems.push('lines have moved: run `node scripts/find-lines.mjs`');
if (problems.length > 0) {
  console.error(`docs/where-things-are.md: ${problems.join('\n')}`);
  process.exit(1);
}
if (filled !== old) writeFileSync(page, filled);
