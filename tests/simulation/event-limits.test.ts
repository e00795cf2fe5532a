import type { Event } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { eventLimits, maxEvents } from './event-limits.js';
import { HistoryBook } from './history.js';
import { eventBucket } from './recorded-changes.js';
import type { Snapshot } from './snapshot.js';

const event = (name: string, count = 1, type = 'Normal', uid = 'u1'): Event => ({
  metadata: { name },
  involvedObject: { kind: 'Pod', uid },
  type,
  count,
});

/** What the invariant reports after these events of an agent that started at 0. */
function violations(events: readonly Event[], nowMs: number): string[] {
  const history = new HistoryBook();
  history.agentStarted(0);
  for (const responseObject of events) {
    history.recordAudit(
      { verb: 'create', objectRef: { resource: 'events' }, responseStatus: { code: 201 }, responseObject } as never,
      nowMs,
    );
  }
  return eventLimits({ history, nowMs } as unknown as Snapshot, undefined as never);
}

const many = (length: number) => Array.from({ length }, (_, i) => event(`e${i}`));

it('allows a burst of 25 events and one more every five minutes', () => {
  expect([0, 299_999, 300_000, 900_000].map(maxEvents)).toEqual([25, 25, 26, 28]);
  expect(violations(many(25), 0)).toEqual([]);
  expect(violations(many(26), 299_999)).toEqual(['26 Normal events of Pod u1 were written in 299999 ms']);
  expect(violations(many(26), 300_000)).toEqual([]);
});

it('counts a repeated write once, and each type and object separately', () => {
  expect(violations([...many(25), event('e1')], 0)).toEqual([]);
  expect(violations([...many(25), event('e1', 2)], 0)).toHaveLength(1);
  expect(violations([...many(25), event('w', 1, 'Warning'), event('o', 1, 'Normal', 'u2')], 0)).toEqual([]);
  expect(eventBucket(event('e'))).toBe('Normal events of Pod u1');
});
