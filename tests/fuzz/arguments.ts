import { parseArgs } from 'node:util';
import type { FuzzTarget } from './target.js';

/** The parsed command line. */
export interface FuzzOptions {
  /** Names of the targets, in the order in which they run. */
  targets: string[];
  seed: number | undefined;
  /** Number of inputs of each target; undefined for its own number. */
  runs: number | undefined;
  /** Instead of a number of inputs: how long each target runs. */
  seconds: number | undefined;
  /** Whether to count the reached places of the packages. */
  edges: boolean;
  /** Whether inputs that reach new places are changed further. */
  guided: boolean;
  /** Whether to write the numbers of reached places to a file. */
  record: boolean;
  keep: boolean;
  table: boolean;
  list: boolean;
  help: boolean;
}

export const usage = `fuzz [--target NAME]... [--seed N] [--runs N | --seconds S] [--guided | --edges] [--record] [--keep] [--list | --table]

Feeds random, mostly almost valid input to the readers of untrusted data, and checks what they promise. Replays the kept cases first.

  --target   only this target, or these. Default: all
  --seed     a whole number; the same seed gives the same inputs. Default: a random one, which is printed
  --runs     inputs for each target. Default: the target's own number, for about 25 s of CPU in all
  --seconds  instead of --runs: how long each target runs
  --guided   keeps the inputs that reach new places of the code, and changes them further. Default: the targets that take bytes or a text
  --edges    counts the places of the code that the inputs reach
  --record   writes these numbers to tests/fuzz/guided/results.json and docs/reliability-runs.md
  --keep     writes the shortest input that fails to tests/fuzz/cases/TARGET, to be replayed in each run
  --list     prints the targets and their promises without running them
  --table    prints the recorded numbers as Markdown

Prints the seed first. Exits with 1 if a promise does not hold, and then prints the input, made as short as possible.
`;

/** Throws an error that names the argument. */
export function fuzzOptions(argv: readonly string[], targets: readonly Pick<FuzzTarget, 'name' | 'content'>[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      target: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string' },
      runs: { type: 'string' },
      seconds: { type: 'string' },
      guided: { type: 'boolean', default: false },
      edges: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const names = targets.map(({ name }) => name);
  const unknown = values.target.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`--target: there is no ${unknown}; there are ${names.join(', ')}`);
  if (values.runs !== undefined && values.seconds !== undefined) throw new Error('--seconds: not together with --runs');
  const guidable = targets.flatMap(({ name, content }) => (content === undefined ? [] : [name]));
  const blind = values.target.find((name) => values.guided && !guidable.includes(name));
  if (blind !== undefined) throw new Error(`--guided: ${blind} takes neither bytes nor a text; these do: ${guidable.join(', ')}`);
  return {
    targets: (values.guided ? guidable : names).filter((name) => values.target.length === 0 || values.target.includes(name)),
    seed: values.seed === undefined ? undefined : wholeNumber('seed', values.seed, 0),
    runs: values.runs === undefined ? undefined : wholeNumber('runs', values.runs, 0),
    seconds: values.seconds === undefined ? undefined : wholeNumber('seconds', values.seconds, 1),
    edges: values.edges || values.guided || values.record,
    guided: values.guided,
    record: values.record,
    keep: values.keep,
    table: values.table,
    list: values.list,
    help: values.help,
  };
}

/** The same seed for the process that runs the targets. */
export function argumentsOf({ targets, seed, runs, seconds, guided }: FuzzOptions): string[] {
  return [
    ...(guided ? ['--guided'] : []),
    ...targets.flatMap((name) => ['--target', name]),
    ...Object.entries({ seed, runs, seconds }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, `${value}`])),
  ];
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= 0x7fff_ffff) return value;
  throw new Error(`--${name}: must be a whole number from ${least} to ${0x7fff_ffff}, not ${text}`);
}
