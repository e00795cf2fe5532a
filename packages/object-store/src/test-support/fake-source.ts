import type { Informer, InformerSource, KubeObject, ObjectChange } from '@nodeagent/api';

/** An API server of one kind, whose objects the test changes, with informers. */
export interface FakeSource<T extends KubeObject> extends InformerSource<T> {
  /** Whether lists get no response; informers then wait. */
  isAway: boolean;
  /** Informers that are started and not stopped. */
  readonly running: number;
  /** Informers that were ever started. */
  readonly started: number;
  /** The selections of the created informers. */
  readonly selections: ({ namespace?: string; fieldSelector?: string } | undefined)[];
  /** Resolves the pending stops, if they are held. */
  holdStops: boolean;
  releaseStops(): void;
  put(object: T): void;
  remove(namespace: string, name: string): void;
  /** Responds to the pending lists. */
  answer(): void;
}

export function createFakeSource<T extends KubeObject>(): FakeSource<T> {
  const stored = new Map<string, T>();
  const followers = new Set<{ notify(change: ObjectChange<T>): void; list(): void }>();
  const selections: FakeSource<T>['selections'] = [];
  const held: (() => void)[] = [];
  const keyOf = ({ metadata }: T) => `${metadata?.namespace}/${metadata?.name}`;
  let started = 0;

  const source: FakeSource<T> = {
    isAway: false,
    holdStops: false,
    get running() {
      return followers.size;
    },
    get started() {
      return started;
    },
    selections,
    releaseStops() {
      for (const release of held.splice(0)) release();
    },
    put(object) {
      const old = stored.get(keyOf(object));
      stored.set(keyOf(object), object);
      for (const { notify } of followers) notify({ ...(old && { old }), object });
    },
    remove(namespace, name) {
      const old = stored.get(`${namespace}/${name}`);
      stored.delete(`${namespace}/${name}`);
      if (old) for (const { notify } of followers) notify({ old });
    },
    answer() {
      for (const { list } of followers) list();
    },
    informer(selection) {
      selections.push(selection);
      const matches = ({ metadata }: T) =>
        (selection?.namespace === undefined || metadata?.namespace === selection.namespace) &&
        (selection?.fieldSelector === undefined || `metadata.name=${metadata?.name}` === selection.fieldSelector);
      const copy = new Map<string, T>();
      const listeners = new Set<(change: ObjectChange<T> | undefined) => void>();
      let hasSynced = false;
      const follower = {
        notify(change: ObjectChange<T>) {
          const object = change.object ?? change.old;
          if (!hasSynced || object === undefined || !matches(object)) return;
          if (change.object) copy.set(keyOf(object), change.object);
          else copy.delete(keyOf(object));
          for (const listener of listeners) listener(change);
        },
        list() {
          if (hasSynced || source.isAway || !followers.has(follower)) return;
          hasSynced = true;
          for (const object of stored.values()) if (matches(object)) copy.set(keyOf(object), object);
          for (const object of copy.values()) for (const listener of listeners) listener({ object });
          for (const listener of listeners) listener(undefined);
        },
      };
      const informer: Informer<T> = {
        get hasSynced() {
          return hasSynced;
        },
        list: () => [...copy.values()],
        get: ({ namespace, name }) => copy.get(`${namespace}/${name}`),
        onChange(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        async start() {
          started += 1;
          followers.add(follower);
          queueMicrotask(follower.list);
        },
        async stop() {
          followers.delete(follower);
          if (source.holdStops) await new Promise<void>((resolve) => held.push(resolve));
        },
      };
      return informer;
    },
  };
  return source;
}
