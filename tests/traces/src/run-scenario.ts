import type { RecordedCall } from '@nodeagent/memory-runtime';
import { anonymous, idsOf } from './anonymous.js';
import { canonicalRequest, statusLine, tracedCalls } from './canonical.js';
import type { Scenario } from './scenario.js';
import { createScenarioNode, type Pleg } from './scenario-node.js';
import { makeTrace, type Seen, type SeenCall, type Trace } from './trace.js';

/** How long the recording of a scenario continues after its end, in milliseconds. */
const afterMs = 3_000;
/** How long the node then continues at most, until the containers of a deleted pod are removed. */
const cleanupMs = 20_000;

/** Runs a scenario on an agent with the runtime in memory, in virtual time; resolves to its trace. */
export async function runScenario({ name, act }: Scenario, pleg: Pleg): Promise<Trace> {
  const namespace = `ns-${name}`;
  const { clock, memory, api, setManifests, recorder, statuses, nextAgent } = createScenarioNode(pleg);
  const { agent } = nextAgent();
  await clock.run(agent.start());
  await clock.run(agent.ready);
  await act({ api, setManifests, memory, clock, namespace });
  await clock.advance(afterMs);
  const writes = { ...api.writes };
  const limit = clock.now() + cleanupMs;
  while (memory.containers().length > 0 && clock.now() < limit) await clock.advance(500);
  const { calls } = memory;
  const seen: Seen = {
    calls: calls.filter(({ method }) => tracedCalls.has(method)).map(traceCall),
    events: recorder.events.map(({ type, reason, object, message }) => `${type} ${reason} ${object.fieldPath ?? ''}: ${message}`),
    status: statuses.map(statusLine),
    writes,
  };
  await clock.run(agent.stop());
  return makeTrace(
    anonymous(seen, idsOf(calls), [
      ['"/pods/', '"<root>/pods/'],
      [namespace, '<namespace>'],
    ]),
  );
}

function traceCall({ method, request, at, error }: RecordedCall): SeenCall {
  return { call: method, request: canonicalRequest(request) ?? {}, at, ...(error !== undefined && { fails: true }) };
}
