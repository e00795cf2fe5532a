import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

const isGenerated = (file) => /node_modules|^packages\/|^reference\/(?!index\.md)/.test(file);
const markdownIn = (folder) => readdirSync(join(root, folder)).filter((file) => file.endsWith('.md'));

/** The pages of the documentation that are written by hand, as paths in the repository: docs/, README.md and its neighbours, examples. */
export function pages() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true }).filter((file) => file.endsWith('.md') && !isGenerated(file));
  const examples = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`);
  return [
    ...markdownIn('.'),
    ...docs.sort().map((file) => `docs/${file}`),
    'examples/README.md',
    ...examples.filter((file) => existsSync(join(root, file))),
  ];
}
