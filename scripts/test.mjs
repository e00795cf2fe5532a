// test.mjs [STEP...]: sets up and runs the whole test suite, or the named steps of it. Its last line says how many checks passed and
// failed. What could not be tested here is told in one line each; with NODEAGENT_E2E=required (CI) that is a failure.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildPackages } from './lib/build.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';
import { runShowing } from './lib/show.mjs';

const results = join(root, '.cache', 'test-results');
const bin = (tool) => join(root, 'node_modules', '.bin', tool);
const traces = (...args) => [bin('tsx'), ['conformance/traces/src/main.ts', ...args]];
const simulation = (...args) => [bin('tsx'), ['simulation/main.ts', ...args]];
const script = (file, ...args) => [process.execPath, [join('scripts', file), ...args]];

const steps = [
  { name: 'lint', command: script('lint.mjs') },
  { name: 'types', command: [bin('tsc'), ['--noEmit', '-p', 'tsconfig.json']] },
  { name: 'unit', title: 'unit tests', vitest: ['--reporter=default'] },
  { name: 'conformance', title: 'recorded decisions', command: [bin('tsx'), ['conformance/src/main.ts', '--allow-missing']] },
  { name: 'traces', title: 'recorded lives of pods', command: traces() },
  { name: 'traces-events', title: 'recorded lives of pods, with container events', command: traces('--events') },
  { name: 'restarts', title: 'restarts in the middle of them', command: traces('--restarts', '3') },
  { name: 'restarts-events', title: 'restarts with container events', command: traces('--restarts', '3', '--events') },
  {
    name: 'simulation',
    title: 'simulation of faults',
    command: simulation('--seeds', '1..20', '--hours', '0.25', '--pods', '30', '--covered'),
  },
  { name: 'build', build: true },
  { name: 'examples', title: 'README examples', command: script('readme-examples.mjs') },
  { name: 'packages', title: 'packages as users install them', command: script('smoke-packages.mjs') },
  { name: 'e2e', title: 'end to end', vitest: ['--reporter=verbose', '--config', 'e2e/vitest.config.ts'] },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`test: no such step: ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

setup();
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
const started = performance.now();
const outcomes = [];
for (const step of steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const { name, title = name } = step;
  console.log(`\n── ${title}`);
  const before = performance.now();
  const outcome = await outcomeOf(step);
  outcomes.push({ title, ...outcome });
  console.log(`── ${title}: ${summaryOf(outcome)} in ${((performance.now() - before) / 1000).toFixed(1)} s`);
}

const skipped = [...new Set(outcomes.flatMap((outcome) => outcome.skipped))];
const required = process.env.NODEAGENT_E2E === 'required';
const total = (what) => outcomes.reduce((sum, outcome) => sum + outcome[what], 0);
const failed = total('failed') + (required ? skipped.length : 0);
console.log(`\nall steps took ${((performance.now() - started) / 1000).toFixed(0)} s`);
for (const { title, failed, failures = [] } of outcomes) {
  if (failed > 0) console.log(`failed: ${title}`);
  for (const failure of failures) console.log(`  ${failure}`);
}
for (const line of skipped) console.log(`${required ? 'failed, as nothing may be skipped here' : 'skipped'}: ${line}`);
console.log(`${total('passed')} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function summaryOf({ passed, failed, skipped }) {
  return `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ''}${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`;
}

/** How many checks of a step passed and failed: tests and what was recorded are counted, any other step is one check. */
async function outcomeOf({ name, command, vitest, build }) {
  if (build) return oneCheck(buildPackages({ types: true }), []);
  const report = join(results, `${name}.json`);
  const [program, args] = command ?? [bin('vitest'), ['run', ...vitest, '--reporter=json', `--outputFile.json=${report}`]];
  const { ok, lines } = await runShowing(program, args, /^(skipped: |(total )?\d+\/\d+)/);
  const skipped = lines.filter((line) => line.startsWith('skipped: ')).map((line) => line.slice('skipped: '.length));
  const [, agreed, all] = lines.map((line) => /^(?:total )?(\d+)\/(\d+)/.exec(line)).find((match) => match !== null) ?? [];
  const counted = vitest ? testCounts(report) : all && { passed: Number(agreed), failed: Number(all) - Number(agreed) };
  if (!counted) return oneCheck(ok, skipped);
  const { passed, failed, failures } = counted;
  return { passed, failed: ok ? failed : Math.max(1, failed), failures, skipped };
}

function oneCheck(ok, skipped) {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped };
}

function testCounts(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, failures: testResults.flatMap(failuresOf) };
  } catch {
    return undefined;
  }
}

/** Each failed test of a file with the first line of what it said, so that the end of a long output tells what to look at. */
function failuresOf({ name, assertionResults, message }) {
  const file = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return message ? [`${file}: ${firstLine(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0] ?? '')}`);
}

function firstLine(text) {
  return text.split('\n', 1)[0];
}
