import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { matchesPattern } from '../../src/glob.js';
import { diffLines } from './diff.js';
import { restartProblems } from './restart.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import type { Pleg } from './scenario-node.js';
import { aspects, excessWrites, linesOf, type Trace } from './trace.js';

const usage = `Runs scenarios on the agent with a runtime in memory and compares what it does with what a kubelet did.

usage: npm run traces -- [options]

  --only NAME   only scenarios whose name matches; * is any text, ? one character, such as 'image-*'
  --show N      differing lines to print of each of calls, events and status (default 6)
  --restarts N  instead of comparing: kill the agent at up to N moments of each scenario, start another one, and see that no container
                is started twice, that pods end as they would have, and that nothing is left behind
  --events      let the agent follow the runtime's container events, where the kubelet of the references lists once a second
  --help        this text

exit code: 0 all agree (or survive), 1 a scenario differs or has no reference, 2 bad arguments`;

const referenceDir = fileURLToPath(new URL('../reference', import.meta.url));

export interface TracesOptions {
  scenarios: readonly Scenario[];
  /** Folder of the references. Default the project's own. */
  dir?: string;
  /** Default the console. */
  output?: { log(line: string): void; error(line: string): void };
}

/** A run as the command line asks for it; gives the exit code. */
export async function runTraces(args: readonly string[], options: TracesOptions): Promise<0 | 1 | 2> {
  const { scenarios, dir = referenceDir, output = console } = options;
  let settings: Settings;
  try {
    settings = readSettings(args);
  } catch (error) {
    output.error(`traces: ${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
  if (settings.help) {
    output.log(usage);
    return 0;
  }
  const names = [...new Set([...recorded(dir), ...scenarios.map(({ name }) => name)])].sort();
  const chosen = names.filter((name) => matchesPattern(name, settings.only));
  if (chosen.length === 0) {
    output.error(`traces: no scenario matches "${settings.only}": there are ${names.join(', ')}`);
    return 2;
  }

  let agreeing = 0;
  for (const name of chosen) {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    const { agrees, lines } = await check(scenario, join(dir, `${name}.json`), settings);
    if (agrees) agreeing++;
    output.log(`${name} ${lines.join('\n  ')}`);
  }
  output.log(`${agreeing}/${chosen.length} ${settings.restarts > 0 ? 'survive' : 'agree'}`);
  return agreeing === chosen.length ? 0 : 1;
}

interface Verdict {
  agrees: boolean;
  lines: string[];
}

async function check(scenario: Scenario | undefined, file: string, { restarts, show, pleg }: Settings): Promise<Verdict> {
  if (scenario === undefined) return { agrees: false, lines: ['has no scenario'] };
  try {
    return restarts > 0 ? await checkRestarts(scenario, restarts, show, pleg) : await compare(scenario, file, show, pleg);
  } catch (error) {
    return { agrees: false, lines: [`FAILS: ${error instanceof Error ? error.message : error}`] };
  }
}

async function checkRestarts(scenario: Scenario, restarts: number, show: number, pleg: Pleg): Promise<Verdict> {
  const problems = await restartProblems(scenario, restarts, pleg);
  if (problems.length === 0) return { agrees: true, lines: ['survives'] };
  return { agrees: false, lines: [`DOES NOT SURVIVE: ${problems.length} problems`, ...problems.slice(0, show)] };
}

async function compare(scenario: Scenario, file: string, show: number, pleg: Pleg): Promise<Verdict> {
  if (!existsSync(file)) return { agrees: false, lines: ['has no reference'] };
  const reference = JSON.parse(readFileSync(file, 'utf8')) as Trace;
  const trace = await runScenario(scenario, pleg);
  const mayPass = pleg === 'events' || scenario.statusesPass;
  const expected = mayPass ? { ...reference, status: withoutPassing(reference.status, trace.status) } : reference;
  const differing = aspects.map((aspect) => ({ aspect, diff: diffLines(linesOf(expected, aspect), linesOf(trace, aspect)) }));
  const lines = differing.flatMap(({ aspect, diff }) => diff.slice(0, show).map((line) => `${aspect} ${line}`));
  const excess = excessWrites(reference.writes, trace.writes);
  const counts = [
    ...differing.filter(({ diff }) => diff.length > 0).map(({ aspect, diff }) => `${aspect} ${diff.length}`),
    ...(excess.length > 0 ? [`writes: ${excess.join(', ')}`] : []),
  ];
  if (counts.length === 0) return { agrees: true, lines: ['agrees'] };
  return { agrees: false, lines: [`DIFFERS: ${counts.join(', ')}`, ...lines] };
}

/**
 * The steps of a status that must be there: all but those that may pass too quickly to be written by an agent that need not wait for the
 * next listing. The first and the last are never left out. docs/decisions/0012.
 */
export function withoutPassing(reference: readonly string[], found: readonly string[]): string[] {
  const written = new Set(found);
  return reference.filter((line, index) => index === 0 || index === reference.length - 1 || written.has(line));
}

interface Settings {
  only: string;
  show: number;
  restarts: number;
  pleg: Pleg;
  help: boolean;
}

function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '*' },
      show: { type: 'string', default: '6' },
      restarts: { type: 'string', default: '0' },
      events: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  for (const name of ['show', 'restarts'] as const) {
    if (!/^\d+$/.test(values[name])) throw new Error(`--${name} takes a number from 0 on, not "${values[name]}"`);
  }
  const { only, show, restarts, events, help } = values;
  return { only, show: Number(show), restarts: Number(restarts), pleg: events ? 'events' : 'listing', help };
}

function recorded(dir: string): string[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}
