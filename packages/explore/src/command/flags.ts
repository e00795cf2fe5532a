import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { milliseconds } from '@nodeagent/test-cluster';

export const usage = `Searches for the faults of a controller, and exits with 1 if it finds one.

usage: explore SCENARIO [flags]

  SCENARIO            a module that exports "setup" and "options", as explore(setup, options) takes them
  --schedules N       number of schedules (default: 1000)
  --jobs N            number of processes (default: one for each CPU)
  --seed N            the seed of the search (default: 1)
  --time-limit TIME   ends the search after a time such as 10m
  --replay SCHEDULE   runs one schedule, such as crash@12+lag@14:pods
  --test-file FILE    where to write a test that repeats the failure (default: SCENARIO with the end .explore.test)
  --help              print this text
  --version           print the version

For a scenario in TypeScript: node --import tsx node_modules/@nodeagent/explore/dist/bin.js scenario.ts
`;

export interface Flags {
  scenario: string;
  schedules: number;
  jobs: number;
  seed?: number;
  timeLimitMs?: number;
  replay?: string;
  testFile: string;
}

/** What the arguments ask for. Throws an Error with a message for the user. */
export function parseFlags(args: readonly string[]): Flags | 'help' | 'version' {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ schedules: text, jobs: text, seed: text, 'time-limit': text, replay: text, 'test-file': text },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  if (values.version) return 'version';
  const [scenario, ...more] = positionals;
  if (scenario === undefined || more.length > 0) throw new Error('give one module with the scenario');
  const { seed, replay } = values;
  return {
    scenario,
    schedules: numberOf('schedules', values.schedules ?? '1000'),
    jobs: numberOf('jobs', values.jobs ?? String(availableParallelism())),
    ...(seed !== undefined && { seed: numberOf('seed', seed) }),
    ...(values['time-limit'] !== undefined && { timeLimitMs: milliseconds(values['time-limit']) }),
    ...(replay !== undefined && { replay }),
    testFile: values['test-file'] ?? scenario.replace(/(\.\w+)?$/, '.explore.test$1'),
  };
}

function numberOf(flag: string, text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error(`--${flag} must be a number from 1, not "${text}"`);
  return Number(text);
}
