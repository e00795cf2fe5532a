import type { ApiContext } from '../context.js';
import type { StoreEvent } from '../store/store-event.js';
import type { Place } from './dependents.js';

/** A controller: an event selects the objects to reconcile, and each reconcile performs one step. */
export interface Controller {
  affected(event: StoreEvent): Place[];
  reconcile(place: Place): void;
  /** Whether the controller reconciles this object after a delay. */
  covers?(place: Place): boolean;
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
export function runControllers({ store, logger }: ApiContext, controllers: readonly Controller[]): RunningControllers {
  const queues = controllers.map((controller) => ({ controller, places: new Map<string, Place>() }));
  let scheduled = false;
  let stopped = false;
  const drain = () => {
    scheduled = false;
    for (let busy = true; busy && !stopped; ) {
      busy = false;
      for (const { controller, places } of queues) {
        const [next] = places;
        if (next === undefined) continue;
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
      for (const place of affected(controller)) places.set(`${place.storage} ${place.namespace ?? ''}/${place.name}`, place);
    }
    if (scheduled || queues.every(({ places }) => places.size === 0)) return;
    scheduled = true;
    queueMicrotask(drain);
  };
  const unsubscribe = store.onEvent((event) => add((controller) => controller.affected(event)));
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
