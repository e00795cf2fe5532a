import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@nodeagent/api';
import type { RecordedCriCall } from '@nodeagent/cri-client';
import type { Verdict } from './compare.js';
import { namespaceOf, type RealNode, realClock } from './real-node.js';
import type { Scenario } from './scenario.js';
import type { Trace, TraceCall } from './trace.js';

/** The scenarios with a kill of the agent, and the call after which: the runtime has executed it, and the agent never receives the response. */
export const killedAfter: Readonly<Record<string, string>> = {
  simple: 'CreateContainer',
  'init-sidecar-two': 'StartContainer',
  hooks: 'ExecSync',
  'job-succeeds': 'StartContainer',
  volumes: 'RunPodSandbox',
  'ignores-term': 'StopContainer',
};

/** Time limit for the cleanup after a scenario. */
const leavesWithinMs = 20_000;

/** Kills the agent once in each of the scenarios, after the given call. */
export function killInTheMiddle(node: RealNode): () => void {
  const waiting = new Map(Object.entries(killedAfter));
  const scenarios = new Map(Object.keys(killedAfter).map((name) => [namespaceOf(name), name]));
  const namespaces = new Map<string, string>();
  return node.onCall((call) => {
    const namespace = namespaceIn(call, namespaces);
    const scenario = namespace && scenarios.get(namespace);
    if (scenario === undefined || waiting.get(scenario) !== call.method) return;
    waiting.delete(scenario);
    node.killAgent();
  });
}

/** The namespace of a call's pod; adds the ids of created sandboxes and containers to `known`. */
function namespaceIn({ request, response }: RecordedCriCall, known: Map<string, string>): string | undefined {
  const { config, containerId = '' } = request as { config?: { labels?: Record<string, string> }; containerId?: string };
  const namespace = config?.labels?.['io.kubernetes.pod.namespace'] ?? known.get(containerId);
  const made = (response as { containerId?: string } | undefined)?.containerId;
  if (namespace !== undefined && made !== undefined) known.set(made, namespace);
  return namespace;
}

/** Runs a scenario with a kill of the agent; resolves to the differences from the undisturbed run. */
export async function surviveOn(node: RealNode, scenario: Scenario, dir: string): Promise<Verdict> {
  const { name } = scenario;
  const problems: string[] = [];
  try {
    await scenario.act(node.context(name));
  } catch (error) {
    problems.push(`does not come to its end: ${errorMessage(error)}`);
  }
  const left = await leftBehind(node, name);
  if (left.length > 0) problems.push(`left behind: ${left.join(', ')}`);
  const trace = node.trace(name);
  const reference = JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as Trace;
  const [end, expectedEnd] = [trace, reference].map(({ status }) => endOf(status.at(-1) ?? ''));
  if (end !== expectedEnd) problems.push(`ends as ${end}, not as ${expectedEnd}`);
  const [starts, expectedStarts] = [trace, reference].map(({ calls }) => startsIn(calls));
  if (starts !== expectedStarts) problems.push(`starts ${starts}, not ${expectedStarts}`);
  if (problems.length === 0) return { agrees: true, lines: [`survives a kill after ${killedAfter[name]}`] };
  return { agrees: false, lines: [`DOES NOT SURVIVE a kill after ${killedAfter[name]}`, ...problems] };
}

async function leftBehind(node: RealNode, name: string): Promise<string[]> {
  const limit = realClock.now() + leavesWithinMs;
  for (;;) {
    const left = await node.running(name);
    if (left.length === 0 || realClock.now() > limit) return left;
    await realClock.advance(200);
  }
}

/** Phase and containers of a status without attempts, which count containers that were created, not started. */
export function endOf(line: string): string {
  const [phase = '', ...parts] = line.split('; ');
  const containers = parts.filter((part) => !/^\w+=(True|False)/.test(part) && !part.startsWith('resources '));
  return [phase.replace(/ \d+$/, ''), ...containers.map((text) => text.replace(/, restarts \d+/, '').replace(/, was [^,]*/, ''))].join(
    '; ',
  );
}

/** The started sandboxes and containers, one entry per start. */
export function startsIn(calls: readonly TraceCall[]): string {
  const done = calls.filter(({ fails }) => !fails);
  const sandboxes = done.filter(({ call }) => call === 'runPodSandbox').map(() => 'the sandbox');
  const names = done.filter(({ call }) => call === 'createContainer').map(({ request }) => containerName(request));
  const ids = done.filter(({ call }) => call === 'startContainer').map(({ request }) => (request as { containerId: string }).containerId);
  const started = ids.map((id) => names[Number(/\d+/.exec(id)?.[0] ?? 0) - 1] ?? id);
  return [...sandboxes, ...started].sort().join(', ');
}

const containerName = (request: unknown) => (request as { config?: { metadata?: { name?: string } } }).config?.metadata?.name ?? '';
