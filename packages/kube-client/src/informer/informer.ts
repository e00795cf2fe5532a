import { createRunLoop, type KubeObject, type Logger, type ObjectChange } from '@nodeagent/api';
import type { InformerEvent, KubeInformer } from './contracts.js';
import { createObjectStore } from './object-store.js';
import { Reflector, type ReflectorOptions } from './reflector.js';

export type InformerOptions<T extends KubeObject> = Omit<ReflectorOptions<T>, 'store' | 'onChanges' | 'onEvent'>;

type ChangeListener<T extends KubeObject> = (change: ObjectChange<T> | undefined) => void;

/** Creates an informer of one selection with a separate watch. The cache survives a stop; a new start reports only the differences. */
export function createInformer<T extends KubeObject>(options: InformerOptions<T>): KubeInformer<T> {
  const store = createObjectStore<T>();
  const changes = createListeners<ObjectChange<T> | undefined>(options.logger);
  const events = createListeners<InformerEvent>(options.logger);
  let hasSynced = false;
  const reflector = new Reflector<T>({
    ...options,
    store,
    onEvent: events.emit,
    onChanges(list) {
      const isFirst = !hasSynced;
      hasSynced = true;
      for (const change of list) changes.emit(change);
      if (isFirst) changes.emit(undefined);
    },
  });
  const loop = createRunLoop((signal) => reflector.run(signal));

  return {
    get hasSynced() {
      return hasSynced;
    },
    get isCurrent() {
      return reflector.isCurrent;
    },
    list: store.list,
    get: store.get,
    onChange: (listener: ChangeListener<T>) => changes.add(listener),
    onEvent: events.add,
    start: loop.start,
    stop: loop.stop,
  };
}

/** Listeners, called in the order in which they were added. An error of one does not affect the others. */
export function createListeners<E>(logger: Logger) {
  const listeners = new Set<{ call: (event: E) => void }>();
  return {
    add(call: (event: E) => void): () => void {
      const listener = { call };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    emit(event: E): void {
      for (const { call } of listeners) {
        try {
          call(event);
        } catch (error) {
          logger.error({ err: error }, 'a listener of an informer failed');
        }
      }
    },
  };
}
