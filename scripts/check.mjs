// check.mjs [--since REF]: the quick check after a change: types, unused code, recorded decisions and lifecycles; format, words and imports of
// the files that changed since REF; and the unit tests of these files and of all that depends on them. Default of REF: where this branch left
// main. `npm test` runs everything.
// It exists because a contributor waits for it: it runs two commands at a time and prints only what fails.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { capture, mapParallel } from './lib/parallel.mjs';
import { root } from './lib/pnpm.mjs';
import { setup } from './lib/setup.mjs';

const { values: flags } = parseArgs({ options: { since: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } } });
if (flags.help) {
  console.log(`usage: npm run check -- [--since REF]

Checks a change: types, unused code, recorded decisions and lifecycles; format, words and imports of what changed since REF; and the unit
tests of what changed and of what depends on it. REF is a commit; default: where this branch left main, so that uncommitted changes count too.`);
  process.exit(0);
}
setup();
const since = flags.since ?? baseOfBranch();
const bin = (tool) => join(root, 'node_modules', '.bin', tool);
const changed = changedFiles();
const code = changed.filter((file) => /^(packages|tests|bench|examples)\/.*\.ts$/.test(file));
const checks = [
  // The longest first.
  ['unit tests of what changed', bin('vitest'), ['run', '--changed', since, '--passWithNoTests', 'packages/', 'scripts/']],
  ['unused code', 'npm', ['run', '--silent', 'lint:unused']],
  ['types', 'npm', ['run', '--silent', 'typecheck']],
  ['recorded decisions', 'npm', ['run', '--silent', 'conformance']],
  ['recorded pod lifecycles', 'npm', ['run', '--silent', 'traces', '--', '--runtime', 'memory']],
  ...(code.length === 0 ? [] : [['imports', bin('depcruise'), ['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...code]]]),
  ...(changed.length === 0
    ? []
    : [
        ['words', process.execPath, ['scripts/lint/words.mjs', ...changed]],
        ['format', bin('biome'), ['check', '--error-on-warnings', '--no-errors-on-unmatched', ...changed]],
      ]),
];
const started = performance.now();
const failed = (await mapParallel(checks, 2, check)).filter((ok) => !ok).length;
console.log(`${checks.length - failed} of ${checks.length} checks passed in ${secondsSince(started)} s; changes since ${since}`);
process.exit(failed > 0 ? 1 : 0);

async function check([title, command, args]) {
  const before = performance.now();
  const { status, stdout, stderr } = await capture(command, args, { timeoutMs: 1_800_000, env: { ...process.env, NO_COLOR: '1' } });
  const ok = status === 0;
  console.log(`${ok ? 'passed' : 'FAILED'}  ${secondsSince(before).padStart(5)} s  ${title}`);
  if (!ok) process.stdout.write(`${stdout}${stderr}`);
  return ok;
}

/** The files that differ from REF, and new ones, without removed ones. */
function changedFiles() {
  const list = (...args) => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status === 0) return stdout.split('\n').filter(Boolean);
    console.error(`check: cannot list what changed since ${since}: ${stderr ?? 'git is missing'}`);
    process.exit(2);
  };
  return [...list('diff', '--name-only', '--diff-filter=d', since), ...list('ls-files', '--others', '--exclude-standard')];
}

function secondsSince(time) {
  return ((performance.now() - time) / 1_000).toFixed(1);
}

function baseOfBranch() {
  for (const main of ['origin/main', 'main']) {
    const { status, stdout } = spawnSync('git', ['merge-base', 'HEAD', main], { cwd: root, encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return 'HEAD';
}
