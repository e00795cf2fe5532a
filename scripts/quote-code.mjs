// quote-code.mjs [--check]: pages quote files of examples/ in blocks that begin with ```ts examples/FILE, and exports of packages in blocks
// that begin with ```ts packages/FILE#NAME. Fills in the current code; --check only compares.
// It exists because the quotations of a site generator (`<<< file` of VitePress) show nothing on GitHub.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/pnpm.mjs';
import { declarationOf } from './lib/quoted-declaration.mjs';

const isCheck = process.argv.includes('--check');
const quote = /^```ts ((?:examples|packages)\/[^\s#]+)(?:#(\w+))?\n[\s\S]*?^```$/gm;
const docs = join(root, 'docs');
const pages = readdirSync(docs, { recursive: true }).filter((name) => name.endsWith('.md') && !/node_modules|^reference.api/.test(name));
const problems = [];

function codeOf(page, path, name) {
  const file = join(root, path);
  const text = existsSync(file) ? readFileSync(file, 'utf8').trimEnd() : undefined;
  const code = name === undefined ? text : text && declarationOf(text, name);
  if (code === undefined)
    problems.push(text === undefined ? `docs/${page}: no such file: ${path}` : `docs/${page}: ${path} does not export ${name}`);
  return code;
}

for (const page of pages) {
  const text = readFileSync(join(docs, page), 'utf8');
  const filled = text.replace(quote, (block, path, name) => {
    const code = codeOf(page, path, name);
    return code === undefined ? block : `\`\`\`ts ${path}${name === undefined ? '' : `#${name}`}\n${code}\n\`\`\``;
  });
  if (filled === text) continue;
  if (isCheck) problems.push(`docs/${page}: the quoted code has changed: run \`node scripts/quote-code.mjs\``);
  else writeFileSync(join(docs, page), filled);
}
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
