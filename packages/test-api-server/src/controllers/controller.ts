import type { ApiContext } from '../context.js';
import type { StoreEvent } from '../store/store-event.js';
import type { Place } from './dependents.js';

/** Work that follows changes: an event says which objects are to be looked at, and each look brings one a step further. */
export interface Controller {
  affected(event: StoreEvent): Place[];
  reconcile(place: Place): void;
  /** Whether it is its business when an object is to be looked at because of the time alone. */
  covers?(place: Place): boolean;
  stop?(): void;
}

/** Controllers at work. */
export interface RunningControllers {
  /** Does at once what is to be done. */
  settle(): void;
  /** Lets them look at an object that did not change. */
  look(place: Place): void;
  stop(): void;
}

/** Runs controllers after the change that concerns them, in order, never inside it. */
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
    look: (place) => add((controller) => (controller.covers?.(place) ? [place] : [])),
    stop() {
      stopped = true;
      unsubscribe();
      for (const { controller } of queues) controller.stop?.();
    },
  };
}
