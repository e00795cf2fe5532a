import type { RecordedCall } from '@nodeagent/testing';
import { canonicalRequest, changingCalls, statusLine } from './canonical.js';
import type { Scenario } from './scenario.js';
import { createScenarioNode, type Pleg } from './scenario-node.js';
import { makeTrace, type Trace } from './trace.js';

/** How long the node goes on after the scenario, for what follows from a deletion. */
const afterMs = 3_000;

/** Runs a scenario on an agent with the runtime in memory, in virtual time, and tells what the agent did. */
export async function runScenario({ name, act }: Scenario, pleg: Pleg): Promise<Trace> {
  const namespace = `ns-${name}`;
  const { clock, memory, api, setStaticPods, recorder, statuses, nextAgent } = createScenarioNode(pleg);
  const { agent } = nextAgent();
  await clock.run(agent.start());
  await clock.run(agent.ready);
  await act({ api, setStaticPods, memory, clock, namespace });
  await clock.advance(afterMs);
  const { calls } = memory;
  const seen = {
    calls: calls.filter(({ method }) => changingCalls.has(method)).map(traceCall),
    events: recorder.events.map(({ type, reason, object, message }) => `${type} ${reason} ${object.fieldPath ?? ''}: ${message}`),
    status: statuses.map(statusLine),
    writes: { ...api.writes },
  };
  await clock.run(agent.stop());
  return makeTrace(anonymizer(calls, namespace)(seen));
}

function traceCall({ method, request, error }: RecordedCall): Trace['calls'][number] {
  return { call: method, request: canonicalRequest(request) ?? {}, ...(error !== undefined && { fails: true as const }) };
}

/** Replaces what differs from run to run: ids, addresses, generated names. */
function anonymizer(calls: readonly RecordedCall[], namespace: string): (trace: Trace) => Trace {
  const names = new Map<string, string>();
  let [sandboxes, containers] = [0, 0];
  for (const { method, request, response } of calls) {
    const { podSandboxId, containerId } = (response ?? {}) as { podSandboxId?: string; containerId?: string };
    if (podSandboxId !== undefined) names.set(podSandboxId, `<sandbox${++sandboxes}>`);
    if (containerId !== undefined) names.set(containerId, `<container${++containers}>`);
    const uid = method === 'runPodSandbox' && (request as { config?: { metadata?: { uid?: string } } }).config?.metadata?.uid;
    if (uid) names.set(uid, '<uid>');
  }
  return (trace) => {
    let text = JSON.stringify(trace);
    for (const [id, name] of names) text = text.replaceAll(id, name);
    text = text
      .replace(/sha256:[0-9a-f]{64}/g, '<image id>')
      .replace(/\b10\.(?!0\.)\d+\.\d+\.\d+/g, '<ip>')
      .replace(/(containers\/[a-z0-9-]+\/)[0-9a-f]{8}\b/g, '$1<rand>')
      .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<rand>')
      .replaceAll('"/pods/', '"<root>/pods/')
      .replaceAll(namespace, '<namespace>');
    return JSON.parse(text) as Trace;
  };
}
