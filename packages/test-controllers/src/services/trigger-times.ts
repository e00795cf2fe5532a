import type { Pod } from '@nodeagent/api';
import { findPodCondition, parseTime } from '@nodeagent/api/helpers';
import type { ServiceObject } from './objects.js';

/** The times of a Service and its pods at the last reconcile, in milliseconds since 1970. */
type SeenTimes = ReadonlyMap<string, number>;

/**
 * When the change happened that a reconcile of a Service writes: the earliest of the new times at which its pods became ready or not ready, for the
 * annotation `endpoints.kubernetes.io/last-change-trigger-time`.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, SeenTimes>();

  of({ metadata: { namespace, name, creationTimestamp } }: ServiceObject, pods: readonly Pod[]): string | undefined {
    const key = `${namespace}/${name}`;
    const before = this.#seen.get(key);
    const texts = pods.map((pod) => [pod.metadata?.name ?? '', findPodCondition(pod.status, 'Ready')?.lastTransitionTime] as const);
    const times = texts.flatMap(([pod, text]) => {
      const time = parseTime(text);
      return time === undefined || typeof text !== 'string' ? [] : [{ pod, time, text }];
    });
    this.#seen.set(key, new Map(times.map(({ pod, time }) => [pod, time])));
    if (before === undefined) return creationTimestamp ?? undefined;
    const [first] = times.filter(({ pod, time }) => time > (before.get(pod) ?? -Infinity)).sort((a, b) => a.time - b.time);
    return first?.text;
  }

  delete({ namespace, name }: { namespace?: string; name: string }): void {
    this.#seen.delete(`${namespace}/${name}`);
  }
}
