import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { matchesPattern } from '../../src/glob.js';
import { diffLines } from './diff.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { aspects, linesOf, type Trace } from './trace.js';

const usage = `Runs scenarios on the agent with a runtime in memory and compares what it does with what a kubelet did.

usage: npm run traces -- [options]

  --only NAME   only scenarios whose name matches; * is any text, ? one character, such as 'image-*'
  --show N      differing lines to print of each of calls, events and status (default 6)
  --help        this text

exit code: 0 all agree, 1 a scenario differs or has no reference, 2 bad arguments`;

const referenceDir = fileURLToPath(new URL('../reference', import.meta.url));

export interface TracesOptions {
  scenarios: readonly Scenario[];
  /** By name: what a recorded scenario waits for. */
  notYet: Readonly<Record<string, string>>;
  /** Folder of the references. Default the project's own. */
  dir?: string;
  /** Default the console. */
  output?: { log(line: string): void; error(line: string): void };
}

/** A run as the command line asks for it; gives the exit code. */
export async function runTraces(args: readonly string[], options: TracesOptions): Promise<0 | 1 | 2> {
  const { scenarios, notYet, dir = referenceDir, output = console } = options;
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

  let [agreeing, run] = [0, 0];
  for (const name of chosen) {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (scenario === undefined && notYet[name] !== undefined) {
      output.log(`${name} not yet: needs ${notYet[name]}`);
      continue;
    }
    run++;
    const lines = await compare(scenario, join(dir, `${name}.json`), settings.show);
    if (lines.length === 1 && lines[0] === 'agrees') agreeing++;
    output.log(`${name} ${lines.join('\n  ')}`);
  }
  output.log(`${agreeing}/${run} agree`);
  return agreeing === run ? 0 : 1;
}

/** `agrees`, or what does not. */
async function compare(scenario: Scenario | undefined, file: string, show: number): Promise<string[]> {
  if (scenario === undefined) return ['has no scenario'];
  if (!existsSync(file)) return ['has no reference'];
  const reference = JSON.parse(readFileSync(file, 'utf8')) as Trace;
  let trace: Trace;
  try {
    trace = await runScenario(scenario);
  } catch (error) {
    return [`FAILS: ${error instanceof Error ? error.message : error}`];
  }
  const differing = aspects.map((aspect) => ({ aspect, diff: diffLines(linesOf(reference, aspect), linesOf(trace, aspect)) }));
  const lines = differing.flatMap(({ aspect, diff }) => diff.slice(0, show).map((line) => `${aspect} ${line}`));
  const counts = differing.filter(({ diff }) => diff.length > 0).map(({ aspect, diff }) => `${aspect} ${diff.length}`);
  return counts.length === 0 ? ['agrees'] : [`DIFFERS: ${counts.join(', ')}`, ...lines];
}

interface Settings {
  only: string;
  show: number;
  help: boolean;
}

function readSettings(args: readonly string[]): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '*' },
      show: { type: 'string', default: '6' },
      help: { type: 'boolean', default: false },
    },
  });
  if (!/^\d+$/.test(values.show)) throw new Error(`--show takes a number from 0 on, not "${values.show}"`);
  return { only: values.only, show: Number(values.show), help: values.help };
}

function recorded(dir: string): string[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}
