// run.mjs TOOL ARGS...: runs pnpm or a tool of node_modules/.bin. It exists for a fresh clone: it first fetches the pinned pnpm and installs.
import { join } from 'node:path';
import { pnpm, root, run } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const [tool, ...args] = process.argv.slice(2);
if (!tool) {
  console.error('usage: node scripts/run.mjs TOOL [ARGS...]');
  process.exit(2);
}
setup();
if (tool === 'pnpm') pnpm(args);
else run(join(root, 'node_modules', '.bin', tool), args, { cwd: process.cwd() });
