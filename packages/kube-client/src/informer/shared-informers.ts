import type { KubeObject, Logger, ObjectChange } from '@nodeagent/api';
import type { InformerEvent, KubeInformer } from './contracts.js';
import { createListeners } from './informer.js';

/** Informers that share one cache and watch for each key. */
export interface SharedInformers {
  /** `create` makes the underlying informer; it must be of the same kind for the same key. */
  get<T extends KubeObject>(key: string, create: () => KubeInformer<T>): KubeInformer<T>;
}

interface Shared<T extends KubeObject> {
  informer: KubeInformer<T>;
  users: number;
}

export function createSharedInformers(logger: Logger): SharedInformers {
  const running = new Map<string, Shared<KubeObject>>();
  return {
    get<T extends KubeObject>(key: string, create: () => KubeInformer<T>): KubeInformer<T> {
      const join = (): Shared<T> => {
        const shared = (running.get(key) as Shared<T> | undefined) ?? { informer: create(), users: 0 };
        running.set(key, shared as unknown as Shared<KubeObject>);
        shared.users += 1;
        return shared;
      };
      const leave = async (shared: Shared<T>) => {
        shared.users -= 1;
        if (shared.users > 0) return;
        running.delete(key);
        await shared.informer.stop();
      };
      return createHandle({ join, leave, logger });
    },
  };
}

/** A user's handle: an informer that reports all objects when it starts, whatever the shared informer has reported to others. */
function createHandle<T extends KubeObject>({
  join,
  leave,
  logger,
}: {
  join(): Shared<T>;
  leave(shared: Shared<T>): Promise<void>;
  logger: Logger;
}): KubeInformer<T> {
  const changes = createListeners<ObjectChange<T> | undefined>(logger);
  const events = createListeners<InformerEvent>(logger);
  let joined: { shared: Shared<T>; detach(): void } | undefined;
  let last: KubeInformer<T> | undefined;

  const handle: KubeInformer<T> = {
    get hasSynced() {
      return last?.hasSynced ?? false;
    },
    get isCurrent() {
      return joined?.shared.informer.isCurrent ?? false;
    },
    list: () => last?.list() ?? [],
    get: (key) => last?.get(key),
    onChange: changes.add,
    onEvent: events.add,
    async start(signal) {
      if (joined !== undefined || signal?.aborted) return;
      const shared = join();
      last = shared.informer;
      if (shared.informer.hasSynced) {
        for (const object of shared.informer.list()) changes.emit({ object });
        changes.emit(undefined);
      }
      const stop = () => void handle.stop();
      const forget = [shared.informer.onChange(changes.emit), shared.informer.onEvent(events.emit)];
      signal?.addEventListener('abort', stop, { once: true });
      const detach = () => {
        for (const end of forget) end();
        signal?.removeEventListener('abort', stop);
      };
      joined = { shared, detach };
      await shared.informer.start();
    },
    async stop() {
      const left = joined;
      joined = undefined;
      if (left === undefined) return;
      left.detach();
      await leave(left.shared);
    },
  };
  return handle;
}
