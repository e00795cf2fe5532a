import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '@nodeagent/api';
import { matchesPattern } from '../../support/glob.js';
import { compareTrace, type Verdict } from './compare.js';
import { notOnEmbedded, notWithoutRoot } from './embedded-limits.js';
import { restartProblems } from './restart.js';
import { killedAfter } from './restart-real.js';
import { runScenario } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { readSettings, type Settings, usage } from './settings.js';
import { formatTrace } from './trace.js';

const referenceDir = fileURLToPath(new URL('../reference', import.meta.url));

export interface TracesOptions {
  scenarios: readonly Scenario[];
  /** Folder of the references. Default: the project's. */
  dir?: string;
  /** Default the console. */
  output?: { log(line: string): void; error(line: string): void };
}

/** Runs the command line; resolves to the exit code. */
export async function runTraces(args: readonly string[], options: TracesOptions): Promise<0 | 1 | 2> {
  const { scenarios, dir = referenceDir, output = console } = options;
  let settings: Settings;
  try {
    settings = readSettings(args);
  } catch (error) {
    output.error(`traces: ${errorMessage(error)}\n\n${usage}`);
    return 2;
  }
  if (settings.help) {
    output.log(usage);
    return 0;
  }
  const killsRealAgents = settings.runtime !== 'memory' && settings.restarts > 0;
  const names = [...new Set([...recorded(dir), ...scenarios.map(({ name }) => name)])]
    .filter((name) => !killsRealAgents || killedAfter[name] !== undefined)
    .sort();
  const matching = names.filter((name) => matchesPattern(name, settings.only));
  if (matching.length === 0) {
    output.error(`traces: no scenario matches "${settings.only}": there are ${names.join(', ')}`);
    return 2;
  }
  if (settings.runtime !== 'memory') {
    const { whyNot } = await import('./real-runtime.js');
    const why = whyNot(settings.runtime);
    if (why !== undefined) {
      output.log(`skipped: recorded pod lifecycles on ${settings.runtime}, because ${why}`);
      return 0;
    }
  }
  if (settings.out !== undefined) mkdirSync(settings.out, { recursive: true });

  const ordinaryUser = process.getuid?.() || undefined;
  const chosen = settings.runtime === 'embedded' ? runnableOnEmbedded(matching, ordinaryUser, output.log) : matching;

  let agreeing = 0;
  const report = (name: string, { agrees, lines }: Verdict) => {
    if (agrees) agreeing++;
    output.log(`${name} ${lines.join('\n  ')}`);
  };
  const known = scenarios.filter(({ name }) => chosen.includes(name));
  for (const name of chosen.filter((name) => !known.some((scenario) => scenario.name === name))) {
    report(name, { agrees: false, lines: ['has no scenario'] });
  }
  const repeated: string[] = [];
  const reportDisturbed = (name: string, { lines }: Verdict) => {
    repeated.push(name);
    output.log(`${name} is repeated alone because beside the others it ${lines.join('\n  ')}`);
  };
  await runAll(known, settings, { dir, ordinaryUser }, { report, reportDisturbed });
  const again = repeated.length > 0 ? `, ${repeated.length} needed a second run: ${repeated.join(', ')}` : '';
  output.log(`${agreeing}/${chosen.length} ${settings.restarts > 0 ? 'survive' : 'agree'}${again}`);
  return agreeing === chosen.length ? 0 : 1;
}

/** Logs the scenarios that the embedded runtime cannot run for this user, with the reason, and returns the others. */
function runnableOnEmbedded(names: readonly string[], ordinaryUser: number | undefined, log: (line: string) => void): string[] {
  return names.filter((name) => {
    const limit = notOnEmbedded[name];
    const needsRoot = ordinaryUser === undefined ? undefined : notWithoutRoot[name];
    if (limit !== undefined) log(`${name} is skipped: ${limit}`);
    else if (needsRoot !== undefined) log(`skipped: recorded pod lifecycle ${name} on the embedded runtime, because ${needsRoot}`);
    return limit === undefined && needsRoot === undefined;
  });
}

async function runAll(
  scenarios: readonly Scenario[],
  settings: Settings,
  { dir, ordinaryUser }: { dir: string; ordinaryUser: number | undefined },
  { report, reportDisturbed }: Record<'report' | 'reportDisturbed', (name: string, verdict: Verdict) => void>,
): Promise<void> {
  const { runtime, show, out } = settings;
  if (runtime === 'memory') {
    for (const scenario of scenarios) report(scenario.name, await check(scenario, join(dir, `${scenario.name}.json`), settings));
    return;
  }
  const { runOnRealNode } = await import('./run-real.js');
  await runOnRealNode(scenarios, {
    runtime,
    dir,
    show,
    out,
    ordinaryUser,
    restarts: settings.restarts > 0,
    onVerdict: report,
    onDisturbed: reportDisturbed,
  });
}

async function check(scenario: Scenario, file: string, settings: Settings): Promise<Verdict> {
  const { restarts, show, pleg, out } = settings;
  try {
    if (restarts > 0) return await checkRestarts(scenario, settings);
    const trace = await runScenario(scenario, pleg);
    if (out !== undefined) writeFileSync(join(out, `${scenario.name}.json`), formatTrace(trace));
    return compareTrace(trace, file, { scenario: scenario.name, show, statusesPass: pleg === 'events' || scenario.statusesPass === true });
  } catch (error) {
    return { agrees: false, lines: [`FAILS: ${errorMessage(error)}`] };
  }
}

async function checkRestarts(scenario: Scenario, { restarts, show, pleg }: Settings): Promise<Verdict> {
  const problems = await restartProblems(scenario, restarts, pleg);
  if (problems.length === 0) return { agrees: true, lines: ['survives'] };
  return { agrees: false, lines: [`DOES NOT SURVIVE: ${problems.length} problems`, ...problems.slice(0, show)] };
}

function recorded(dir: string): string[] {
  return readdirSync(dir)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}
