import { parseArgs } from 'node:util';

/** The parsed command line. */
export interface FuzzOptions {
  /** Names of the targets; empty for all. */
  targets: string[];
  seed: number | undefined;
  /** Number of inputs of each target; undefined for its own number. */
  runs: number | undefined;
  /** Instead of a number of inputs: how long each target runs. */
  seconds: number | undefined;
  keep: boolean;
  list: boolean;
  help: boolean;
}

export const usage = `fuzz [--target NAME]... [--seed N] [--runs N | --seconds S] [--keep] [--list]

Feeds random, mostly almost valid input to the readers of untrusted data, and checks what they promise. Replays the kept cases first.

  --target   only this target, or these. Default: all
  --seed     a whole number; the same seed gives the same inputs. Default: a random one, which is printed
  --runs     inputs for each target. Default: the target's own number, for about 25 s of CPU in all
  --seconds  instead of --runs: how long each target runs
  --keep     writes the shortest input that fails to tests/fuzz/cases/TARGET, to be replayed in each run
  --list     prints the targets and their promises without running them

Prints the seed first. Exits with 1 if a promise does not hold, and then prints the input, made as short as possible.
`;

/** Throws an error that names the argument. */
export function fuzzOptions(argv: readonly string[], names: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      target: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string' },
      runs: { type: 'string' },
      seconds: { type: 'string' },
      keep: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = values.target.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`--target: there is no ${unknown}; there are ${names.join(', ')}`);
  if (values.runs !== undefined && values.seconds !== undefined) throw new Error('--seconds: not together with --runs');
  return {
    targets: values.target,
    seed: values.seed === undefined ? undefined : wholeNumber('seed', values.seed, 0),
    runs: values.runs === undefined ? undefined : wholeNumber('runs', values.runs, 0),
    seconds: values.seconds === undefined ? undefined : wholeNumber('seconds', values.seconds, 1),
    keep: values.keep,
    list: values.list,
    help: values.help,
  };
}

/** The same seed for the process that runs the targets. */
export function argumentsOf({ targets, seed, runs, seconds }: FuzzOptions): string[] {
  return [
    ...targets.flatMap((name) => ['--target', name]),
    ...Object.entries({ seed, runs, seconds }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, `${value}`])),
  ];
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= 0x7fff_ffff) return value;
  throw new Error(`--${name}: must be a whole number from ${least} to ${0x7fff_ffff}, not ${text}`);
}
