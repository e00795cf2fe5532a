// quote-code.mjs [--check]: pages quote files of examples/ in blocks that start with ```ts examples/...; updates the blocks from the files.
// --check only compares.
// It exists because the quotations of a site generator (`<<< file` of VitePress) show nothing on GitHub.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/pnpm.mjs';

const isCheck = process.argv.includes('--check');
const quote = /^```ts (examples\/\S+)\n[\s\S]*?^```$/gm;
const fileOf = (path) => readFileSync(join(root, path), 'utf8').trimEnd();

const stale = readdirSync(join(root, 'docs')).filter((name) => {
  if (!name.endsWith('.md')) return false;
  const page = join(root, 'docs', name);
  const text = readFileSync(page, 'utf8');
  const filled = text.replace(quote, (_block, path) => `\`\`\`ts ${path}\n${fileOf(path)}\n\`\`\``);
  if (filled === text) return false;
  if (!isCheck) writeFileSync(page, filled);
  return true;
});
if (isCheck && stale.length > 0) {
  console.error(`docs/${stale.join(', docs/')}: the quoted files of examples/ have changed: run \`node scripts/quote-code.mjs\``);
  process.exit(1);
}
