// start.mjs [FLAGS]: sets up, builds what is needed and runs the example pods with the embedded runtime.
// Flags are those of `nodeagent run`; `npm start -- --help` lists them.
// It exists for a fresh clone: one command from there to running pods.
import { join } from 'node:path';
import { buildPackages } from './lib/build.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

setup();
if (!buildPackages({ types: false, names: ['cli'] })) process.exit(1);

const given = process.argv.slice(2);
const namesManifests = given.some((flag) => flag === '--manifests' || flag.startsWith('--manifests='));
const manifests = namesManifests ? [] : ['--manifests', join(root, 'examples', 'pods')];
process.argv = [process.argv[0], join(root, 'packages', 'cli', 'dist', 'bin.js'), 'run', ...manifests, ...given];
await import('../packages/cli/dist/bin.js');
