import { parseArgs } from 'node:util';
import { recordRun, runFacts } from '../support/reliability-runs.js';
import { copySources, removeCopy, runInCopy, withChange } from '../support/source-copy.js';
import { type Break, breaks } from './breaks.js';

const lastSeed = 50;

const usage = `simulate:breaks [--only TEXT] [--list] [--record]

Breaks one line of the agent's source at a time, in a copy, and simulates seeds 1..${lastSeed} until an invariant is violated. The source without the
break must pass the same seed.

  --only  only breaks whose name contains the text
  --list  prints the breaks without running them
  --record  writes the result into docs/reliability-runs.md

Exits with 1 if a break is not found, or is found by an invariant that its entry does not name.
`;

/** Longest simulation of a break: several times that of all seeds. */
const limitMs = 3_600_000;

interface Violation {
  seed: number;
  invariant: string;
  what: string;
}

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const chosen = breaks.filter(({ name }) => name.includes(values.only));
  if (values.help) process.stdout.write(usage);
  else if (chosen.length === 0) throw new Error(`--only: no break is named ${values.only}`);
  else if (values.list) for (const { name, find, replace } of chosen) console.log(`${name}: ${find} -> ${replace}`);
  else process.exitCode = await findAll(chosen, values.record);
} catch (error) {
  console.error(`simulate:breaks: ${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
}

async function findAll(chosen: readonly Break[], record: boolean): Promise<number> {
  const copy = copySources();
  const violationOf = memoized((seed) => firstViolation(copy, `${seed}`));
  let found = 0;
  const rows: string[] = [];
  try {
    for (const each of chosen) {
      const began = performance.now();
      const violation = await withChange(copy, each, () => firstViolation(copy, `1..${lastSeed}`));
      const problem = violation === undefined ? 'NOT FOUND' : await problemOf(each, violation, violationOf);
      if (problem === undefined) found++;
      rows.push(`| \`${each.name}\` | ${problem ?? violation?.invariant} | ${violation?.seed ?? ''} |`);
      const by = violation && `seed ${violation.seed}, ${violation.invariant}: ${violation.what}`;
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      console.log(`${each.name}: ${[problem, by].filter((part) => part !== undefined).join(': ')} (${seconds} s)`);
    }
  } finally {
    removeCopy(copy);
  }
  const summary = `${found} of ${chosen.length} breaks found`;
  console.log(`${summary} within ${lastSeed} seeds`);
  if (record) {
    const { date, commit } = runFacts();
    const head = ['| break | found by invariant | seed |', '| --- | --- | --: |'];
    recordRun('simulate:breaks', [`On ${date} at ${commit}: ${summary}.`, '', ...head, ...rows].join('\n'));
  }
  return found < chosen.length ? 1 : 0;
}

/** Why the violation does not show that the simulation finds the break. */
async function problemOf(
  { foundBy }: Break,
  { seed, invariant }: Violation,
  unbroken: (seed: number) => Promise<Violation | undefined>,
): Promise<string | undefined> {
  if (!foundBy.includes(invariant)) return `found by another invariant than ${foundBy.join(' or ')}`;
  return (await unbroken(seed)) && 'the same seed fails without the break';
}

async function firstViolation(copy: string, seeds: string): Promise<Violation | undefined> {
  const run = ['--seeds', seeds, '--hours', '0.1', '--pods', '30', '--first', '--brief'];
  const { output, status } = await runInCopy(copy, ['node_modules/tsx/dist/cli.mjs', 'tests/simulation/main.ts', ...run], limitMs);
  const [, seed, invariant, what] = /^seed (\d+) fails after \d+ actions: ([^:]+): (.*)$/m.exec(output) ?? [];
  if (invariant !== undefined && what !== undefined) return { seed: Number(seed), invariant, what };
  if (status !== 0) throw new Error(`the simulation of seeds ${seeds} exited with ${status} and without a violation`);
  return undefined;
}

function memoized<T>(compute: (seed: number) => T): (seed: number) => T {
  const known = new Map<number, T>();
  return (seed) => {
    const value = known.get(seed) ?? compute(seed);
    known.set(seed, value);
    return value;
  };
}
