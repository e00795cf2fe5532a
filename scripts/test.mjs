// test.mjs [--help] [--without root|containerd] [STEP...]: sets up and runs the whole test suite, or the named steps of it. Its last line has the numbers of
// passed and failed checks. It prints a line for each skipped test; with NODEAGENT_E2E=required (CI) these are failures.
// --without runs the steps in which root, or containerd, changes something: as a user who is not root and without containerd in PATH, or only
// without that. What is skipped then is no failure. With NODEAGENT_E2E=required both are steps of the whole suite.
// It exists because no runner of scripts adds up the checks of vitest, the vectors and the traces.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { buildPackages } from './lib/build.mjs';
import { environmentWithNode, fetchNode } from './lib/fetch-node.mjs';
import { hideContainerd } from './lib/hide-containerd.mjs';
import { runAsOrdinaryUser } from './lib/ordinary-user.mjs';
import { root } from './lib/pnpm.mjs';
import { afterRepetition, stepsToRepeat } from './lib/repeat-failures.mjs';
import { setup } from './lib/setup.mjs';
import { runShowing } from './lib/show.mjs';
import { answerInsteadOfRun, readTestArguments } from './lib/test-arguments.mjs';

const run = readTestArguments(process.argv.slice(2));
if (run.text !== undefined) endWith(run);
/** What this run does without: `root`, `containerd` or, as the main run, undefined. */
const { without, wanted } = run;
const results = join(root, '.cache', 'test-results', without === undefined ? 'all' : `without-${without}`);
const bin = (tool) => join(root, 'node_modules', '.bin', tool);
const isE2eRequired = without === undefined && process.env.NODEAGENT_E2E === 'required';
const traces = (runtime, ...args) => [bin('tsx'), ['tests/traces/src/main.ts', '--runtime', runtime, ...args]];
const simulation = (...args) => [bin('tsx'), ['tests/simulation/main.ts', ...args]];
const endToEnd = ['--reporter=verbose', '--config', 'tests/e2e/vitest.config.ts'];
const script = (file, ...args) => [process.execPath, [join('scripts', file), ...args]];

/**
 * Tests of what changes from one Node to the next: sockets, HTTP and TLS, and on the newest one files too. `process-runtime` uses that as well,
 * but its tests of real processes take three times as long as all others together. The workflow runs all unit tests on each Node.
 */
const ofSockets = [
  ...['grpc', 'kube-client', 'streaming'].map((name) => `packages/${name}/`),
  ...['http2-peers', 'floods'].map((name) => `tests/attacks/${name}.test.ts`),
];
const ofFiles = [
  ...['api', 'container-logs', 'mount-utils', 'prober', 'server'].map((name) => `packages/${name}/`),
  'tests/attacks/files.test.ts',
];
const unitOnNode = (major, what, tests) => ({
  name: `unit-node-${major}`,
  title: `unit tests of ${what} on Node ${major}`,
  beside: true,
  early: true,
  dependsOnSpeed: true,
  node: major,
  vitest: ['--reporter=default'],
  tests,
});

/** Where tests create files, mounts, cgroups, processes or namespaces: for the others, also those with sockets, each user is the same. */
const ofMachine = [
  ...['api/', 'cgroups/', 'cli/', 'container-logs/', 'core/src/host/', 'cni/', 'image-store/', 'mount-utils/', 'oci-runtime/'],
  ...['oom-watcher/', 'process-runtime/', 'volume-plugins/'],
].map((path) => `packages/${path}`);

/** End-to-end tests that neither the user nor containerd changes: of clusters in memory. */
const inMemory = ['kubectl', 'node-page', 'simulate-cluster', 'simulate-cluster-page', 'playground'];

/** Those that containerd does not change: besides, of the embedded runtime alone, of CNI plugins, images and crun, or killed for minutes. */
const withoutRuntimes = [
  ...[...inMemory, 'cluster', 'cni', 'embedded', 'embedded-socket', 'images', 'volumes-kill'],
  ...['oci-command', 'oci-images', 'oci-kill', 'oci-runtime', 'oci-spec'],
];

const excluded = (suites) => suites.flatMap((name) => ['--exclude', `**/${name}.e2e.ts`]);

/**
 * A step that is `nightly` runs only if it is named: each night, or in a separate job of the workflow.
 * A step with an entry in `without` also runs without root, or without containerd. The entry states what changes there.
 * Those that run `beside` the others do so because tests of processes and the end-to-end tests wait more than they work: one after the other,
 * those that need no build `early`, from the start. Two of those that `wait` themselves run beside both and are served before the others.
 * `dependsOnSpeed`: its result depends on how fast the machine is, so what fails is repeated alone. `tests` are the paths of those that vitest runs; default all.
 */
const steps = [
  ...(isE2eRequired
    ? [{ name: 'containerd', title: "Debian's containerd, crun and conmon", command: [bin('tsx'), ['tests/support/install-runtimes.ts']] }]
    : []),
  {
    name: 'unit',
    title: 'unit tests',
    dependsOnSpeed: true,
    vitest: ['--reporter=default'],
    tests: without === undefined ? [] : ofMachine,
    without: { root: 'files, processes and ports' },
  },
  {
    name: 'conformance',
    title: 'recorded decisions',
    command: [bin('tsx'), ['tests/vectors/src/main.ts']],
    without: { root: 'modes and owners of files' },
  },
  { name: 'traces', title: 'recorded pod lifecycles', command: traces('memory'), without: { root: 'nothing, it is quick' } },
  { name: 'traces-events', title: 'recorded pod lifecycles, with container events', command: traces('memory', '--events') },
  { name: 'restarts', title: 'restarts in the middle of them', command: traces('memory', '--restarts', '3') },
  { name: 'restarts-events', title: 'restarts with container events', command: traces('memory', '--restarts', '3', '--events') },
  { name: 'build', build: true, without: { root: 'the build is for the steps below', containerd: 'as without root' } },
  { name: 'docs', beside: true, title: 'documentation site', command: script('build-docs.mjs') },
  { name: 'lint', beside: true, command: ['npm', ['run', '--silent', 'lint']] },
  { name: 'types', beside: true, early: true, command: ['npm', ['run', '--silent', 'typecheck']] },
  {
    name: 'packages',
    beside: true,
    dependsOnSpeed: true,
    title: 'packages as users install them',
    command: script('smoke-packages.mjs', '--node', '22', '--node', '24'),
  },
  {
    name: 'test-projects',
    nightly: true,
    title: 'a controller test under Jest, vitest and node:test',
    command: script('test-projects.mjs'),
  },
  {
    name: 'runtimes',
    nightly: true,
    title: 'entries in Chromium, Bun, Deno and each Node',
    command: [bin('tsx'), ['scripts/check-runtimes.mjs']],
  },
  { ...unitOnNode(22, 'sockets', ofSockets), nightly: true },
  unitOnNode(24, 'sockets and files', [...ofSockets, ...ofFiles]),
  {
    name: 'package',
    nightly: true,
    title: 'packages for operators',
    command: script('check-package.mjs'),
  },
  {
    name: 'fuzz',
    beside: true,
    early: true,
    title: 'random untrusted input',
    command: [bin('tsx'), ['tests/fuzz/main.ts', '--seed', '1']],
  },
  {
    name: 'release',
    nightly: true,
    title: 'dry run of a release',
    command: script('release-dry-run.mjs'),
  },
  {
    name: 'simulation',
    beside: true,
    early: true,
    title: 'simulation of faults',
    command: simulation('--seeds', '1..2', '--hours', '0.1', '--pods', '30', '--jobs', '2'),
  },
  {
    name: 'failing-calls',
    nightly: true,
    title: 'calls that fail for ten minutes',
    command: [bin('tsx'), ['tests/simulation/failing-calls-main.ts', '--every', '5']],
  },
  {
    name: 'playground',
    beside: true,
    dependsOnSpeed: true,
    title: 'the playground of the built site in a browser',
    vitest: endToEnd,
    tests: ['playground'],
  },
  {
    name: 'examples',
    beside: true,
    dependsOnSpeed: true,
    title: 'programs of READMEs and pages',
    command: script('readme-examples.mjs'),
  },
  {
    name: 'traces-containerd',
    beside: true,
    waits: true,
    dependsOnSpeed: true,
    title: 'recorded pod lifecycles on containerd',
    command: traces('containerd'),
    without: { root: 'it is skipped', containerd: 'it is skipped' },
  },
  {
    name: 'restarts-containerd',
    beside: true,
    waits: true,
    dependsOnSpeed: true,
    title: 'kill -9 in the middle of them on containerd',
    command: traces('containerd', '--restarts', '1'),
    without: { root: 'it is skipped', containerd: 'it is skipped' },
  },
  {
    name: 'traces-embedded',
    nightly: without === 'root',
    beside: true,
    waits: true,
    dependsOnSpeed: true,
    title: 'recorded pod lifecycles on the embedded runtime',
    command: traces('embedded'),
    without: { root: 'cgroups of pods, users of containers' },
  },
  {
    name: 'e2e',
    title: 'end to end',
    dependsOnSpeed: true,
    vitest: [...endToEnd, ...excluded(without === undefined ? ['playground'] : without === 'containerd' ? withoutRuntimes : inMemory)],
    without: { root: 'the embedded runtime and the command, the rest is skipped', containerd: 'suites on containerd are skipped' },
  },
  {
    name: 'unit-oci',
    nightly: true,
    title: 'unit tests and attacks on each OCI runtime',
    vitest: ['--reporter=default'],
    tests: ['packages/oci-runtime/', 'tests/attacks/oci-'],
    env: { NODEAGENT_E2E_OCI: 'all' },
  },
  { name: 'traces-oci', nightly: true, title: 'recorded pod lifecycles on the OCI runtime', command: traces('oci') },
  {
    name: 'restarts-oci',
    nightly: true,
    title: 'kill -9 in the middle of them on the OCI runtime',
    command: traces('oci', '--restarts', '1'),
  },
  {
    name: 'e2e-oci',
    nightly: true,
    title: 'end to end on the OCI runtime',
    vitest: [...endToEnd, '-t', 'on the OCI runtime'],
    env: { NODEAGENT_E2E_OCI: 'all' },
  },
  ...(isE2eRequired
    ? [
        { name: 'without-containerd', title: 'the suite as root, without containerd', run: 'containerd' },
        { name: 'without-root', title: 'the suite as an ordinary user, without containerd', run: 'root' },
      ]
    : []),
].filter((step) => without === undefined || step.without?.[without] !== undefined);

const answer = answerInsteadOfRun(run, steps);
if (answer !== undefined) endWith(answer);

setup();
if (without === 'root' && process.getuid?.() === 0) process.exit(runAsOrdinaryUser('scripts/test.mjs', process.argv.slice(2)));
if (without !== undefined) {
  delete process.env.NODEAGENT_E2E;
  hideContainerd();
  for (const { title, name, without: changes } of steps) console.log(`without ${without}: ${title ?? name}: ${changes[without]}`);
}
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });
const started = performance.now();
const outcomes = [];
const chosen = steps.filter(({ name, nightly }) => (wanted.length === 0 ? !nightly : wanted.includes(name)));
const beside = chosen.some(({ name }) => name === 'e2e') ? chosen.filter((step) => step.beside) : [];
const inOrder = chosen.filter((step) => !beside.includes(step));
if (beside.length > 0) console.log(`\nin the background: ${beside.map(({ name }) => name).join(', ')}`);
const ended = { build: promiseWithResolve(), e2e: promiseWithResolve() };
for (const name of Object.keys(ended)) if (!inOrder.some((step) => step.name === name)) ended[name].resolve();
const inBackground = runInBackground(beside);
for (const step of inOrder) {
  console.log(`\n── ${titleOf(step)}`);
  conclude(await timed(step));
  ended[step.name]?.resolve();
}
for (const { show, ...outcome } of await inBackground) {
  console.log(`\n── ${titleOf(outcome.step)}`);
  show();
  conclude(outcome);
}
for (const { outcome, step } of chosen.length > 1 ? stepsToRepeat(outcomes) : []) {
  console.log(`\n── ${titleOf(step)}: the failed ones once more, alone`);
  const again = await timed(step);
  Object.assign(outcome, afterRepetition(outcome, again));
  console.log(`── ${titleOf(step)}: ${summaryOf(again)} in ${again.seconds.toFixed(1)} s`);
}

const skipped = [...new Set(outcomes.flatMap((outcome) => outcome.skipped))];
const total = (what) => outcomes.reduce((sum, outcome) => sum + outcome[what], 0);
const failed = total('failed') + (isE2eRequired ? skipped.length : 0);
console.log(`\nall steps took ${((performance.now() - started) / 1000).toFixed(0)} s`);
for (const line of skipped) console.log(`${isE2eRequired ? 'failed, as nothing may be skipped here' : 'skipped'}: ${line}`);
for (const { step, failed, failures = [], ending = [], failedBeside = [] } of outcomes) {
  for (const line of failedBeside) console.log(`failed beside other steps, passed alone: ${line}`);
  if (failed > 0) console.log(`failed: ${titleOf(step)}`);
  for (const line of failures.length > 0 ? failures : ending) console.log(`  ${line}`);
}
console.log(`${total('passed')} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function endWith({ exitCode, text }) {
  (exitCode === 0 ? console.log : console.error)(text);
  process.exit(exitCode);
}

/** Two at a time of those that wait, once the packages are built; one at a time of the others, and two once the end-to-end tests have ended. */
async function runInBackground(steps) {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  const waiting = steps.filter(({ waits }) => waits);
  const working = [...steps.filter(({ early }) => early), ...steps.filter(({ early, waits }) => !early && !waits)];
  const lanes = [
    runInTurn(waiting, PRIORITY_BELOW_NORMAL),
    runInTurn(waiting, PRIORITY_BELOW_NORMAL),
    runInTurn(working, PRIORITY_LOW),
    ended.e2e.promise.then(() => runInTurn(working, PRIORITY_LOW)),
  ];
  return (await Promise.all(lanes)).flat();
}

/** Takes steps from the queue, which other lanes may share, until none is left. */
async function runInTurn(queue, priority) {
  const all = [];
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
    if (!step.early) await ended.build.promise;
    all.push(await timed(step, { priority }));
  }
  return all;
}

function promiseWithResolve() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function timed(step, options) {
  const before = performance.now();
  const outcome = await outcomeOf(step, options);
  return { step, ...outcome, seconds: (performance.now() - before) / 1000 };
}

function titleOf({ name, title = name }) {
  return title;
}

function conclude(outcome) {
  outcomes.push(outcome);
  console.log(`── ${titleOf(outcome.step)}: ${summaryOf(outcome)} in ${outcome.seconds.toFixed(1)} s`);
}

function summaryOf({ passed, failed, skipped }) {
  return `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ''}${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`;
}

/**
 * How many checks of a step passed and failed: tests and what was recorded are counted, any other step is one check. `ending` is how the output
 * of a failed step ends.
 */
async function outcomeOf({ name, command, vitest, tests = [], build, node, run, env: added }, options) {
  if (build) return oneCheck(buildPackages({ types: true }), []);
  if (run !== undefined) return outcomeOfRun(run, options);
  const env = { ...(node === undefined ? process.env : environmentWithNode(fetchNode(node))), ...added };
  const report = join(results, `${name}.json`);
  const [program, args] = command ?? [bin('vitest'), ['run', ...vitest, ...tests, '--reporter=json', `--outputFile.json=${report}`]];
  const { ok, lines, last, show } = await runShowing(program, args, /^(skipped: |(total )?\d+\/\d+)/, { ...options, env });
  const skipped = lines.filter((line) => line.startsWith('skipped: ')).map((line) => line.slice('skipped: '.length));
  const [, agreed, all] = lines.map((line) => /^(?:total )?(\d+)\/(\d+)/.exec(line)).find((match) => match !== null) ?? [];
  const counted = vitest ? testCounts(report) : all && { passed: Number(agreed), failed: Number(all) - Number(agreed) };
  const ending = ok ? [] : last;
  if (!counted) return { ...oneCheck(ok, skipped), ending, show };
  return { ...counted, failed: ok ? counted.failed : Math.max(1, counted.failed), ending, skipped, show };
}

/** A further run counts with its checks; it prints itself what it skips. */
async function outcomeOfRun(without, options) {
  const { ok, lines, last, show } = await runShowing(...script('test.mjs', '--without', without), /^\d+ passed, \d+ failed$/, options);
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(lines.at(-1) ?? '') ?? [];
  return { passed: Number(passed ?? 0), failed: ok ? 0 : Math.max(1, Number(failed ?? 0)), ending: ok ? [] : last, skipped: [], show };
}

function oneCheck(ok, skipped) {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped };
}

function testCounts(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const failures = testResults.flatMap(failuresOf);
    const failedFiles = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name));
    return { passed: numPassedTests, failed: numFailedTests, failures, failedFiles };
  } catch {
    return undefined;
  }
}

/** Each failed test of a file with the first line of its error, so that the end of a long output lists the failures. */
function failuresOf({ name, assertionResults, message }) {
  const file = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  if (failed.length === 0) return message ? [`${file}: ${firstLine(message)}`] : [];
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0] ?? '')}`);
}

function firstLine(text) {
  return text.split('\n', 1)[0];
}
