// run.mjs TOOL ARGS...: one of the workspace's own tools (node_modules/.bin), after setting up if that is still to do.
import { join } from 'node:path';
import { root, run } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const [tool, ...args] = process.argv.slice(2);
if (!tool) {
  console.error('usage: node scripts/run.mjs TOOL [ARGS...]');
  process.exit(2);
}
setup();
run(join(root, 'node_modules', '.bin', tool), args, { cwd: process.cwd() });
