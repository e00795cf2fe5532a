import type { Clock, Counter, Gauge, Histogram, Metrics, PodLifecycleEvent } from '@nodeagent/api';
import { createEventedPleg, type EventedPleg, type EventedPlegOptions } from './evented-pleg.js';
import { createPodCache } from './pod-cache.js';
import { EventRuntime } from './test-event-runtime.js';

/** Keeps the last value of gauges, the sum of counters and the number of observations, by name and label values. */
export function recordingMetrics() {
  const values = new Map<string, number>();
  const key = (name: string, labels: object = {}) => [name, ...Object.values(labels)].join(' ');
  const add = (at: string, by: number) => void values.set(at, (values.get(at) ?? 0) + by);
  const metrics: Metrics = {
    counter: ({ name }): Counter => ({ inc: (labels, by = 1) => add(key(name, labels), by) }),
    gauge: ({ name }): Gauge => ({ set: (value, labels) => void values.set(key(name, labels), value) }),
    histogram: ({ name }): Histogram => ({ observe: () => add(name, 1) }),
  };
  return { metrics, value: (name: string) => values.get(name) ?? 0 };
}

/** A generator on that runtime in virtual time. */
export function setUpEvented<C extends Clock & { advance(ms: number): Promise<void> }>(
  clock: C,
  { inspectable = false, ...options }: Partial<EventedPlegOptions> & { inspectable?: boolean } = {},
) {
  const fake = new EventRuntime(clock);
  const cache = createPodCache();
  const { metrics, value } = recordingMetrics();
  const pleg: EventedPleg = createEventedPleg({
    runtime: inspectable ? fake.inspectableRuntime : fake.runtime,
    containerEvents: fake.containerEvents,
    cache,
    clock,
    metrics,
    ...options,
  });
  const take = () => {
    const events: PodLifecycleEvent[] = [];
    for (let next = pleg.events.poll(); next; next = pleg.events.poll()) events.push(next);
    return events.map(({ podUid, type, containerId }) => [podUid, type, containerId].filter(Boolean).join(' '));
  };
  return {
    clock,
    fake,
    cache,
    pleg,
    take,
    metric: value,
    drift: () => value('nodeagent_pleg_drift_total relist') + value('nodeagent_pleg_drift_total reconnect'),
    /** The cached status of a pod in the format of {@link EventRuntime.expectedStatus}. */
    cached: (uid: string) => cache.peek(uid)?.status?.name,
    /** Starts the generator and advances the clock until relists are rare. */
    async settled() {
      await pleg.start();
      await clock.advance(700_000);
      fake.takeCalls();
      take();
    },
  };
}
