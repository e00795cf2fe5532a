import type { Clock, Pod } from '@nodeagent/api';
import { findPodCondition, formatTime, isTerminalPhase, parseTime } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import { type ControllerObjects, controllerManager, type Place, placeOf, type StoredChange } from '../controller-objects.js';
import { Delays } from '../delays.js';
import { withCondition } from '../with-condition.js';

/** How long a pod may have the condition without being deleted. */
const staleMs = 120_000;

/**
 * When the condition DisruptionTarget of a pod becomes stale, in milliseconds since 1970: its writer did not delete the pod. Undefined
 * without such a condition; that of a kubelet stays. Kubernetes documentation, "Disruptions: Pod disruption conditions".
 */
export function disruptionStaleAt({ metadata, status }: Pod): number | undefined {
  const condition = findPodCondition(status, 'DisruptionTarget');
  const isEnding = metadata?.deletionTimestamp !== undefined || isTerminalPhase(status?.phase);
  if (isEnding || condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined;
  return (parseTime(condition.lastTransitionTime) ?? 0) + staleMs;
}

/** Sets stale conditions DisruptionTarget to False. */
export class StaleDisruption implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #delays: Delays;

  constructor({ objects, clock, again }: { objects: ControllerObjects; clock: Clock; again: (place: Place) => void }) {
    this.#objects = objects;
    this.#clock = clock;
    this.#delays = new Delays(clock, again);
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    if (storage !== '/pods') return [];
    const place = placeOf(storage, object);
    if (type === 'DELETED') this.#delays.cancel(place);
    return type !== 'DELETED' && disruptionStaleAt(object as Pod) !== undefined ? [place] : [];
  }

  covers({ storage }: Place): boolean {
    return storage === '/pods';
  }

  reconcile(place: Place): void {
    const stored = this.#objects.get('/pods', place.namespace, place.name);
    const at = stored && disruptionStaleAt(stored as Pod);
    this.#delays.set(place, at);
    const now = this.#clock.now();
    if (stored === undefined || at === undefined || at > now) return;
    this.#delays.cancel(place);
    const { status } = stored as Pod;
    const conditions = withCondition(status?.conditions ?? [], { type: 'DisruptionTarget', status: 'False' }, formatTime(now));
    this.#objects.overwrite(
      '/pods',
      stored,
      { ...stored, status: { ...status, conditions } },
      { ...controllerManager, subresource: 'status' },
    );
  }

  stop(): void {
    this.#delays.stop();
  }
}
