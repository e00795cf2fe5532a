// start.mjs [FLAGS]: sets up, builds what is needed and runs the example pods, which it stops at the end.
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
const namesRuntime = given.some((flag) => flag === '--runtime-endpoint' || flag.startsWith('--runtime-endpoint='));
const stop = namesRuntime ? [] : ['--stop-pods-on-exit'];
const manifests = namesManifests ? [] : ['--manifests', join(root, 'examples', 'pods')];
process.argv = [process.argv[0], join(root, 'packages', 'cli', 'dist', 'bin.js'), 'run', ...manifests, ...stop, ...given];
await import('../packages/cli/dist/bin.js');
