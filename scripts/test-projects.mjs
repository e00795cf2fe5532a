// test-projects.mjs [--keep] [NAME...]: runs the test of examples/controller-test with packed packages in the projects of tests/projects, or in
// the named ones: under Jest with CommonJS, vitest and node:test. Each gets the same files; only the import of the test functions differs.
// Each project also has a test of the API server in the words of its runner, which the README of test-api-server shows.
// --keep leaves the folder for inspection.
// It exists because each test runner loads modules in another way: Jest's has no `import()`.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildablePackages, buildPackages } from './lib/build.mjs';
import { installPacked } from './lib/install-packed.mjs';
import { capture } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const example = join(root, 'examples', 'controller-test');
const files = ['batch-controller.ts', 'batch-definition.ts', 'plan-batch.ts', 'test-cluster.ts'];
const test = 'batch-controller.test.ts';
const projects = join(root, 'tests', 'projects');
const used = ['test-api-server', 'test-cluster', 'testing'];

/** The import of the test functions in each project. */
const importsOf = {
  jest: (names) => `import { ${names.join(', ')} } from '@jest/globals';`,
  vitest: (names) => `import { ${names.join(', ')} } from 'vitest';`,
  'node-test': (names) =>
    `import { ${names.filter((name) => name !== 'expect').join(', ')} } from 'node:test';\nimport { expect } from 'expect';`,
};

const { values: flags, positionals: names } = parseArgs({
  options: { keep: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = names.filter((name) => importsOf[name] === undefined);
if (unknown.length > 0) {
  console.error(`test-projects: no such project: ${unknown.join(', ')}; there are ${Object.keys(importsOf).join(', ')}`);
  process.exit(2);
}

setup();
if (!buildPackages({ types: false, names: used })) process.exit(1);
const { consumer } = await installPacked(buildablePackages(used), { keep: flags.keep, projects, onStep: console.log }).catch((error) => {
  console.error(`test-projects: ${error.message}`);
  process.exit(1);
});
const chosen = Object.keys(importsOf).filter((name) => names.length === 0 || names.includes(name));
const failed = [];
for (const name of chosen) if (!(await passes(name))) failed.push(name);
console.log(`${chosen.length - failed.length}/${chosen.length} projects pass`);
process.exit(failed.length > 0 ? 1 : 0);

async function passes(name) {
  const folder = join(consumer, name);
  for (const file of files) cpSync(join(example, file), join(folder, file));
  writeFileSync(join(folder, test), testFor(name));
  const started = performance.now();
  // Jest keeps transformed files in the folder for temporary files.
  const env = { ...process.env, TMPDIR: folder };
  const { status, stdout, stderr } = await capture('npm', ['test', '--silent'], { cwd: folder, env, timeoutMs: 300_000 });
  console.log(`${name}: ${status === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (status !== 0) console.error(`${stdout}${stderr}`.trimEnd());
  return status === 0;
}

function testFor(name) {
  const [start, names, rest] = readFileSync(join(example, test), 'utf8').split(/import \{ (.*) \} from 'vitest';/);
  if (rest === undefined) throw new Error(`${test} does not import the functions of vitest`);
  return start + importsOf[name](names.split(', ')) + rest;
}
