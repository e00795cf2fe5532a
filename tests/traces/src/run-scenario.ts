import type { RecordedCall } from '@nodeagent/memory-runtime';
import { anonymous, idsOf } from './anonymous.js';
import { canonicalRequest, changingCalls, statusLine } from './canonical.js';
import type { Scenario } from './scenario.js';
import { createScenarioNode, type Pleg } from './scenario-node.js';
import { makeTrace, type Trace } from './trace.js';

/** How long the node continues after the scenario, for the cleanup after a deletion. */
const afterMs = 3_000;

/** Runs a scenario on an agent with the runtime in memory, in virtual time; resolves to its trace. */
export async function runScenario({ name, act }: Scenario, pleg: Pleg): Promise<Trace> {
  const namespace = `ns-${name}`;
  const { clock, memory, api, setManifests, recorder, statuses, nextAgent } = createScenarioNode(pleg);
  const { agent } = nextAgent();
  await clock.run(agent.start());
  await clock.run(agent.ready);
  await act({ api, setManifests, memory, clock, namespace });
  await clock.advance(afterMs);
  const { calls } = memory;
  const seen = {
    calls: calls.filter(({ method }) => changingCalls.has(method)).map(traceCall),
    events: recorder.events.map(({ type, reason, object, message }) => `${type} ${reason} ${object.fieldPath ?? ''}: ${message}`),
    status: statuses.map(statusLine),
    writes: { ...api.writes },
  };
  await clock.run(agent.stop());
  return makeTrace(
    anonymous(seen, idsOf(calls), [
      ['"/pods/', '"<root>/pods/'],
      [namespace, '<namespace>'],
    ]),
  );
}

function traceCall({ method, request, error }: RecordedCall): Trace['calls'][number] {
  return { call: method, request: canonicalRequest(request) ?? {}, ...(error !== undefined && { fails: true as const }) };
}
