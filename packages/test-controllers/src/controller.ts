import type { Logger } from '@nodeagent/api';
import { type ControllerObjects, type Place, placeKey, type StoredChange } from './controller-objects.js';

/** A controller: a change selects the objects to reconcile, and each reconcile performs one step. */
export interface Controller {
  affected(change: StoredChange): Place[];
  reconcile(place: Place): void;
  /** Whether the controller reconciles this object after a delay. */
  covers?(place: Place): boolean;
  /** Whether it waits until the controllers before it have nothing to do, since its step costs the same after one change as after many. */
  readonly isLast?: boolean;
  stop?(): void;
}

/** Running controllers. */
export interface RunningControllers {
  /** Processes the queue at once. */
  settle(): void;
  /** Queues an object that has not changed. */
  queue(place: Place): void;
  stop(): void;
}

/** Runs controllers after each change, in order, never during it. */
export function runControllers(objects: ControllerObjects, logger: Logger, controllers: readonly Controller[]): RunningControllers {
  const queues = controllers.map((controller) => ({ controller, places: new Map<string, Place>() }));
  let scheduled = false;
  let stopped = false;
  const drain = () => {
    scheduled = false;
    for (let busy = true; busy && !stopped; ) {
      busy = false;
      for (const { controller, places } of queues) {
        const [next] = places;
        if (next === undefined || (busy && controller.isLast) || objects.isWaiting?.()) continue;
        busy = true;
        places.delete(next[0]);
        try {
          controller.reconcile(next[1]);
        } catch (error) {
          logger.warn({ err: error, place: next[1] }, 'controller failed');
        }
      }
    }
  };
  const add = (affected: (controller: Controller) => Place[]) => {
    for (const { controller, places } of queues) {
      for (const place of affected(controller)) places.set(placeKey(place), place);
    }
    if (scheduled || queues.every(({ places }) => places.size === 0)) return;
    scheduled = true;
    queueMicrotask(drain);
  };
  objects.onResume?.(drain);
  const unsubscribe = objects.onChange((change) => add((controller) => controller.affected(change)));
  return {
    settle: drain,
    queue: (place) => add((controller) => (controller.covers?.(place) ? [place] : [])),
    stop() {
      stopped = true;
      unsubscribe();
      for (const { controller } of queues) controller.stop?.();
    },
  };
}
