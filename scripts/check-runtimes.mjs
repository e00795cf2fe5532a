// check-runtimes.mjs [--write]: bundles each entry that runs without Node as a user's bundler makes it for browsers, compares its size with
// scripts/bundle-budgets.json, and runs one program with all of them in Chromium, Bun, Deno and each supported Node: one call of each entry, and
// half an hour of a cluster, which must be the same everywhere. --write adds the budgets of new entries. It runs in tsx.
// It exists because tests run on Node only, where what needs Node is not missing.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTab, provideChromium } from '../tests/support/chromium.ts';
import { buildPackages } from './lib/build.mjs';
import { bundleEntry, bundleProgram, nameOf } from './lib/bundle.mjs';
import { entriesOf } from './lib/entries.mjs';
import { packages } from './lib/packages.mjs';
import { capture, mapParallel } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { runtimes } from './lib/runtimes.mjs';

const { values: flags } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const budgetsFile = join(root, 'scripts', 'bundle-budgets.json');
const folder = join(root, '.cache', 'runtimes');
const problems = [];

if (!buildPackages({ types: false })) process.exit(1);
mkdirSync(folder, { recursive: true });
const pure = await checkBundles();
await checkRuns(pure);
for (const problem of problems) console.error(`runtimes: ${problem}`);
process.exit(problems.length > 0 ? 1 : 0);

/** Compares each entry with its budget, in KiB, or with `node` for those that need Node. Returns the IDs of the others. */
async function checkBundles() {
  const budgets = JSON.parse(readFileSync(budgetsFile, 'utf8'));
  const ids = packages().flatMap(({ manifest }) => entriesOf(manifest).map(({ id }) => id));
  const bundles = await mapParallel(ids, 2, bundleEntry);
  const measured = ids.map((id, at) => ({ id, name: nameOf(id), ...bundles[at] }));
  if (flags.write) {
    const written = measured.map(({ name, kib, problems }) => [name, budgets[name] ?? (problems.length > 0 ? 'node' : roundUp(kib))]);
    const lines = written.map((pair) => `  ${pair.map((value) => JSON.stringify(value)).join(': ')}`);
    writeFileSync(budgetsFile, `{\n${lines.join(',\n')}\n}\n`);
    Object.assign(budgets, Object.fromEntries(written));
  }
  for (const entry of measured) problems.push(...problemsOf(entry, budgets[entry.name]));
  for (const name of Object.keys(budgets))
    if (!measured.some((entry) => entry.name === name)) problems.push(`bundle-budgets.json has ${name}, which no package exports`);
  const ofBrowsers = measured.filter(({ name }) => typeof budgets[name] === 'number');
  for (const { id, kib } of ofBrowsers) console.log(`${id.padEnd(42)} ${kib.toFixed(1).padStart(6)} KiB of ${budgets[nameOf(id)]}`);
  return ofBrowsers.filter(({ problems }) => problems.length === 0).map(({ id }) => id);
}

function problemsOf({ id, kib, problems }, budget) {
  if (budget === undefined) return [`${id} has no budget: run "npm run check-runtimes -- --write"`];
  if (budget === 'node') return problems.length > 0 ? [] : [`${id} runs without Node: give it a budget in bundle-budgets.json`];
  if (problems.length > 0) return problems.slice(0, 3).map((problem) => `${id} needs Node: ${problem}`);
  return kib > budget ? [`${id} has ${kib.toFixed(1)} KiB, more than its budget of ${budget} KiB`] : [];
}

/** A budget with room for small changes. */
function roundUp(kib) {
  return Math.ceil(kib * 1.1 * 2) / 2;
}

/** Runs the program everywhere, compares the calls with what they must give, and the timelines with each other. */
async function checkRuns(ids) {
  const script = await bundleProgram(ids);
  const file = join(folder, 'program.mjs');
  // Calls may leave timers.
  writeFileSync(file, `${script}\nprocess.stdout.write(JSON.stringify(await program.run()), () => process.exit(0));\n`);
  const runs = [...Object.keys(runtimes).map((name) => [name, () => runFile(name, file)]), ...runsInChromium(script)];
  const outcomes = await mapParallel(runs, 2, async ([name, run]) => ({ name, ...(await run().catch(failedRun)) }));
  const [{ hash: expected }] = outcomes;
  for (const { name, calls, failed, hash, timeline, seconds } of outcomes) {
    console.log(`${name}: ${calls} entries, ${timeline.length} lines with the hash ${hash.slice(0, 16)} in ${seconds.toFixed(1)} s`);
    problems.push(...failed.map((failure) => `${name}: ${failure}`));
    writeFileSync(join(folder, `${name.replace(' ', '-').toLowerCase()}.txt`), timeline.join('\n'));
    if (hash !== expected) problems.push(`${name}: the timeline differs from that of ${outcomes[0].name}; compare the files of ${folder}`);
  }
}

function failedRun(error) {
  return { calls: 0, failed: [String(error?.stack ?? error)], hash: '', timeline: [], seconds: 0 };
}

async function runFile(name, file) {
  const started = performance.now();
  const [command, ...args] = runtimes[name]();
  const { status, stdout, stderr } = await capture(command, [...args, file], { timeoutMs: 120_000 });
  if (status !== 0) throw new Error(`it ended with ${status}\n${stderr}`);
  return { ...JSON.parse(stdout), seconds: (performance.now() - started) / 1_000 };
}

function runsInChromium(script) {
  const chromium = provideChromium();
  if (chromium !== undefined) return [['Chromium', () => runInChromium(chromium, script)]];
  console.log('skipped: entries in a browser, because Chromium is not installed');
  return [];
}

async function runInChromium(chromium, script) {
  const tab = await openTab(chromium);
  try {
    const started = performance.now();
    const outcome = await tab.evaluate(`${script}\nprogram.run()`);
    if (tab.errors.length > 0) outcome.failed.push(...tab.errors);
    return { ...outcome, seconds: (performance.now() - started) / 1_000 };
  } finally {
    await tab.close();
  }
}
