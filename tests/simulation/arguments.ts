import { parseArgs } from 'node:util';
import { mutations } from './mutations.js';

/** The parsed command line. */
export interface SimulateOptions {
  from: number;
  to: number;
  hours: number;
  pods: number;
  gapMs: number | undefined;
  faultGapMs: number | undefined;
  jobs: number;
  mutation: string | undefined;
  /** Whether the simulation fails unless every kind of fault was hit and an image was removed. */
  covered: boolean;
  /** Whether the report of a failure omits the shortest run that fails. */
  brief: boolean;
  /** Whether to stop at the first violation. */
  first: boolean;
  /** The section of docs/reliability-runs.md that gets the result. */
  record: string | undefined;
  /** Whether to print only the usage. */
  help: boolean;
}

export const usage = `simulate [--seeds FROM..TO] [--hours N] [--pods N] [--gap MS] [--fault-gap MS] [--jobs N] [--mutation NAME] [--covered] [--brief] [--first] [--record SECTION]

  --seeds     which runs, or one: 17. Default 1..20
  --hours     virtual time of each, without the phase without faults at its end. Default 0.5
  --pods      maximum number of pods at a time. Default 30
  --gap       mean milliseconds between two actions. Default 250, 500, 1000 or 4000, by the seed
  --fault-gap mean milliseconds between two faults of one kind. Default 1080000
  --jobs      processes. Default 1
  --mutation  injects a deliberate bug: ${mutations.map(({ name }) => name).join(', ')}
  --covered   fails unless every kind of fault was hit and an image was removed
  --brief     reports failures without a search for the shortest run that fails
  --first     stops at the first violation
  --record    writes the result into this section of docs/reliability-runs.md: simulate:ci, simulate:long

Prints its progress on standard error.
`;

/** Throws an error that names the argument. */
export function simulateOptions(argv: readonly string[]): SimulateOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seeds: { type: 'string', default: '1..20' },
      hours: { type: 'string', default: '0.5' },
      pods: { type: 'string', default: '30' },
      gap: { type: 'string' },
      'fault-gap': { type: 'string' },
      jobs: { type: 'string', default: '1' },
      mutation: { type: 'string' },
      covered: { type: 'boolean', default: false },
      brief: { type: 'boolean', default: false },
      first: { type: 'boolean', default: false },
      record: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const range = /^(\d+)(?:\.\.(\d+))?$/.exec(values.seeds);
  const [from, to] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])];
  if (!range || to < from) throw new Error(`--seeds: must be a seed or a range such as 1..1000, not ${values.seeds}`);
  if (values.mutation !== undefined && !mutations.some(({ name }) => name === values.mutation)) {
    throw new Error(`--mutation: there is no ${values.mutation}`);
  }
  return {
    from,
    to,
    hours: positive('hours', values.hours),
    pods: positive('pods', values.pods),
    gapMs: values.gap === undefined ? undefined : positive('gap', values.gap),
    faultGapMs: values['fault-gap'] === undefined ? undefined : positive('fault-gap', values['fault-gap']),
    jobs: positive('jobs', values.jobs),
    mutation: values.mutation,
    covered: values.covered,
    brief: values.brief,
    first: values.first,
    record: values.record,
    help: values.help,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (value > 0) return value;
  throw new Error(`--${name}: must be a positive number, not ${text}`);
}
