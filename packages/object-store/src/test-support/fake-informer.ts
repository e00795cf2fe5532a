import type { Informer, KubeObject, ObjectChange, ObjectKey } from '@nodeagent/api';

/** What the informer's source does when the informer starts and stops. */
interface InformerLink {
  started(): void;
  stopped(): Promise<void>;
}

/** An informer of a fake source: its copy of the selected objects, and its listeners. */
export class FakeInformer<T extends KubeObject> implements Informer<T> {
  hasSynced = false;
  readonly #selection: { namespace?: string; fieldSelector?: string };
  readonly #link: InformerLink;
  readonly #copy = new Map<string, T>();
  readonly #listeners = new Set<(change: ObjectChange<T> | undefined) => void>();

  constructor(selection: { namespace?: string; fieldSelector?: string } = {}, link: InformerLink) {
    this.#selection = selection;
    this.#link = link;
  }

  list(): readonly T[] {
    return [...this.#copy.values()];
  }

  get({ namespace, name }: ObjectKey): T | undefined {
    return this.#copy.get(`${namespace}/${name}`);
  }

  onChange(listener: (change: ObjectChange<T> | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    this.#link.started();
  }

  stop(): Promise<void> {
    return this.#link.stopped();
  }

  /** Receives the first list of all objects. */
  receiveList(objects: Iterable<T>): void {
    if (this.hasSynced) return;
    this.hasSynced = true;
    for (const object of objects) if (this.#matches(object)) this.#copy.set(keyOf(object), object);
    for (const object of this.#copy.values()) this.#emit({ object });
    this.#emit(undefined);
  }

  receive(change: ObjectChange<T>): void {
    const object = change.object ?? change.old;
    if (!this.hasSynced || object === undefined || !this.#matches(object)) return;
    if (change.object) this.#copy.set(keyOf(object), change.object);
    else this.#copy.delete(keyOf(object));
    this.#emit(change);
  }

  #matches({ metadata }: T): boolean {
    const { namespace, fieldSelector } = this.#selection;
    return (
      (namespace === undefined || metadata?.namespace === namespace) &&
      (fieldSelector === undefined || `metadata.name=${metadata?.name}` === fieldSelector)
    );
  }

  #emit(change: ObjectChange<T> | undefined): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** The key of an object in a map. */
export const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace}/${metadata?.name}`;
