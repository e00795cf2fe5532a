import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '@nodeagent/api';
import type { NodeAgent } from '@nodeagent/core/node';
import { afterAll } from 'vitest';

const stepLimitMs = 60_000;

/**
 * Runs these steps after all tests of the suite, in their order. A step that fails or takes longer than a minute keeps none of the others
 * from running; the suite then fails with the names of all such steps.
 */
export function cleanUpAfterAll(steps: Record<string, () => unknown>): void {
  afterAll(
    async () => {
      const errors: Error[] = [];
      for (const [what, step] of Object.entries(steps)) {
        try {
          await withinLimit(step);
        } catch (error) {
          errors.push(new Error(`${what}: ${errorMessage(error)}`, { cause: error }));
        }
      }
      if (errors.length > 0) throw new AggregateError(errors, `cleanup failed: ${errors.map(({ message }) => message).join('; ')}`);
    },
    Object.keys(steps).length * stepLimitMs + 1_000,
  );
}

async function withinLimit(step: () => unknown): Promise<void> {
  const done = new AbortController();
  const limit = sleep(stepLimitMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`not done after ${stepLimitMs} ms`);
  });
  limit.catch(() => {});
  try {
    await Promise.race([step(), limit]);
  } finally {
    done.abort();
  }
}

/** Terminates all pods of an agent of this process; on a timeout the error names what each pod waits for. */
export async function endPods(agent: NodeAgent, timeoutMs = 40_000): Promise<void> {
  try {
    await agent.stopPods(AbortSignal.timeout(timeoutMs));
  } catch (error) {
    const left = agent.pods().map(({ pod, state, lastEvent }) => {
      const uid = pod.metadata?.uid ?? '';
      const event = lastEvent && `last event ${lastEvent.reason}: ${lastEvent.message}`;
      return [`pod ${pod.metadata?.namespace}/${pod.metadata?.name}`, state, event, JSON.stringify(agent.explain(uid))].join(', ');
    });
    throw new Error(`pods did not terminate within ${timeoutMs} ms: ${left.join('; ')}`, { cause: error });
  }
}
