import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@nodeagent/api';
import { compareTrace, type Verdict } from './compare.js';
import { skippableOnEmbedded } from './embedded-limits.js';
import { onOci, skippableOnOci, withoutWords } from './on-oci.js';
import { type RealNode, realClock, startRealNode } from './real-node.js';
import { withoutMachine } from './recorded-trace.js';
import { killInTheMiddle, surviveOn } from './restart-real.js';
import type { Scenario } from './scenario.js';
import { type Hearers, runWhatDiffersAgain } from './second-run.js';
import type { RuntimeKind } from './settings.js';
import { formatTrace, type Trace } from './trace.js';
import { withoutRoot } from './without-root.js';

/** How long the recording of a scenario continues after its end at least, in milliseconds. */
const afterMs = 1_500;
/** And at most, until the containers of its pods are removed: by garbage collection if not before, which runs once a minute. */
const maxAfterMs = 75_000;
/** Maximum number of concurrent scenarios; their starts are staggered, so that their pods do not all start at the same time. */
const betweenMs = 700;
const sideBySide = 12;

export interface RealRunOptions extends Hearers {
  runtime: RuntimeKind;
  /** Folder of the references. */
  dir: string;
  show: number;
  out: string | undefined;
  /** The user of this process, unless it is root. */
  ordinaryUser: number | undefined;
  /** Kill the agent in the middle of {@link killedAfter} instead of comparing. */
  restarts: boolean;
}

/** Runs scenarios on a real node and compares each with its reference; repeated scenarios get a separate node. */
export async function runOnRealNode(scenarios: readonly Scenario[], options: RealRunOptions): Promise<void> {
  // A runtime cancels the pending calls of a killed agent: the kill must affect one pod only.
  if (options.restarts) return runOnNode(scenarios, 1, options);
  await runWhatDiffersAgain(scenarios, sideBySide, options, (some, lanes, onVerdict) => runOnNode(some, lanes, { ...options, onVerdict }));
}

async function runOnNode(scenarios: readonly Scenario[], lanes: number, options: RealRunOptions): Promise<void> {
  const node = await startRealNode(options.runtime);
  try {
    if (options.restarts) killInTheMiddle(node);
    const verdict = (scenario: Scenario) =>
      options.restarts ? surviveOn(node, scenario, options.dir) : verdictOn(scenario, node, options);
    await besides(scenarios, lanes, async (scenario) => options.onVerdict(scenario.name, await verdict(scenario)));
    if (options.out !== undefined) writeRecordings(node, options.out);
  } finally {
    await node.close();
  }
}

async function verdictOn(scenario: Scenario, node: RealNode, { runtime, dir, show, out, ordinaryUser }: RealRunOptions): Promise<Verdict> {
  const { name } = scenario;
  try {
    await scenario.act(node.context(name));
    await realClock.advance(afterMs);
    const limit = realClock.now() + maxAfterMs;
    while ((await node.containers(name)).length > 0 && realClock.now() < limit) await realClock.advance(200);
  } catch (error) {
    return { agrees: false, lines: [`FAILS: ${errorMessage(error)}`] };
  } finally {
    if (out !== undefined) {
      mkdirSync(out, { recursive: true });
      writeFileSync(join(out, `${name}.json`), formatTrace(node.trace(name)));
    }
  }
  const moreStatuses = scenario.mirrorComesBack ? 1 : 0;
  const isOci = runtime === 'oci';
  const expected = (reference: Trace) =>
    isOci ? onOci(reference) : ordinaryUser === undefined ? reference : withoutRoot(reference, ordinaryUser);
  const without = (trace: Trace) => withoutMachine(isOci ? withoutWords(trace) : trace);
  const furtherSkippable = { containerd: undefined, oci: skippableOnOci[name], embedded: skippableOnEmbedded[name] }[runtime];
  const comparison = { scenario: name, show, statusesPass: true, furtherSkippable, moreStatuses, expected, without };
  return compareTrace(node.trace(name), join(dir, `${name}.json`), comparison);
}

/** Runs the function for each scenario, the long ones first. */
export async function besides(scenarios: readonly Scenario[], lanes: number, run: (scenario: Scenario) => Promise<void>): Promise<void> {
  const waiting = [...scenarios].sort((a, b) => Number(b.long ?? false) - Number(a.long ?? false));
  const runner = async (index: number) => {
    await realClock.advance(index * betweenMs);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: lanes }, (_, index) => runner(index)));
}

/** The whole recording, one JSON object per line. */
function writeRecordings({ everything }: RealNode, out: string): void {
  const { calls, audit, log } = everything;
  for (const [file, items] of Object.entries({ 'cri.jsonl': calls, 'audit.jsonl': audit, 'agent.jsonl': log })) {
    const stream = createWriteStream(join(out, file));
    for (const item of items) stream.write(`${JSON.stringify(item)}\n`);
    stream.end();
  }
}
