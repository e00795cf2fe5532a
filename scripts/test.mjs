// test.mjs: sets up and runs the whole test suite. NODEAGENT_E2E=required makes the end-to-end part on a real containerd a must.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildPackages } from './lib/build.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const bin = (tool) => join(root, 'node_modules', '.bin', tool);
const node = process.execPath;

const steps = [
  ['lint', node, ['scripts/lint.mjs']],
  ['types', bin('tsc'), ['--noEmit', '-p', 'tsconfig.json']],
  ['unit tests', bin('vitest'), ['run']],
  ['recorded decisions', bin('tsx'), ['conformance/src/main.ts', '--allow-missing']],
  ['recorded lives of pods', bin('tsx'), ['conformance/traces/src/main.ts']],
  ['restarts in the middle of them', bin('tsx'), ['conformance/traces/src/main.ts', '--restarts', '8']],
  ['build', () => buildPackages({ types: true })],
  ['README examples', node, ['scripts/readme-examples.mjs']],
  ['packages as users install them', node, ['scripts/smoke-packages.mjs']],
  ['end to end', bin('vitest'), ['run', '--config', 'e2e/vitest.config.ts']],
];

setup();
const started = performance.now();
const failed = [];
for (const [name, command, args] of steps) {
  console.log(`\n── ${name}`);
  const before = performance.now();
  const ok = typeof command === 'function' ? command() : spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;
  console.log(`── ${name}: ${ok ? 'passed' : 'FAILED'} in ${((performance.now() - before) / 1000).toFixed(1)} s`);
  if (!ok) failed.push(name);
}
console.log(
  `\nsteps of the suite, in ${((performance.now() - started) / 1000).toFixed(0)} s${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}`,
);
console.log(`${steps.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length > 0 ? 1 : 0);
