import type { InformerSource, KubeObject, ObjectChange } from '@nodeagent/api';
import { FakeInformer, keyOf } from './fake-informer.js';

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
  return new StoredObjects<T>();
}

class StoredObjects<T extends KubeObject> implements FakeSource<T> {
  isAway = false;
  holdStops = false;
  started = 0;
  readonly selections: FakeSource<T>['selections'] = [];
  readonly #stored = new Map<string, T>();
  readonly #followers = new Set<FakeInformer<T>>();
  readonly #held: (() => void)[] = [];

  get running(): number {
    return this.#followers.size;
  }

  put(object: T): void {
    const old = this.#stored.get(keyOf(object));
    this.#stored.set(keyOf(object), object);
    this.#notify({ ...(old && { old }), object });
  }

  remove(namespace: string, name: string): void {
    const old = this.#stored.get(`${namespace}/${name}`);
    this.#stored.delete(`${namespace}/${name}`);
    if (old) this.#notify({ old });
  }

  answer(): void {
    for (const follower of this.#followers) this.#list(follower);
  }

  releaseStops(): void {
    for (const release of this.#held.splice(0)) release();
  }

  informer(selection?: { namespace?: string; fieldSelector?: string }): FakeInformer<T> {
    this.selections.push(selection);
    const informer: FakeInformer<T> = new FakeInformer<T>(selection, {
      started: () => {
        this.started += 1;
        this.#followers.add(informer);
        queueMicrotask(() => this.#list(informer));
      },
      stopped: async () => {
        this.#followers.delete(informer);
        if (this.holdStops) await new Promise<void>((resolve) => this.#held.push(resolve));
      },
    });
    return informer;
  }

  #list(follower: FakeInformer<T>): void {
    if (!this.isAway && this.#followers.has(follower)) follower.receiveList(this.#stored.values());
  }

  #notify(change: ObjectChange<T>): void {
    for (const follower of this.#followers) follower.receive(change);
  }
}
