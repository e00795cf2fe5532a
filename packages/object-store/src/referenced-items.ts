import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** One item for each object that registered pods refer to. */
export interface ReferencedItems<I> {
  /** Registering again replaces what the pod referred to. */
  register(pod: Pod): void;
  unregister(pod: Pod): void;
  get(namespace: string, name: string): I | undefined;
  all(): Iterable<I>;
}

export interface ReferencedItemsOptions<I> {
  namesOf(pod: Pod): ReadonlySet<string>;
  create(namespace: string, name: string): I;
  /** Called when a pod that refers to the item is registered; the item may be new or existing. */
  referenced?(item: I): void;
  /** Called when no pod refers to the item any more. */
  released?(item: I): void;
}

export function createReferencedItems<I>({ namesOf, create, referenced, released }: ReferencedItemsOptions<I>): ReferencedItems<I> {
  const pods = new Map<string, ReadonlySet<string>>();
  const items = new Map<string, { item: I; references: number }>();
  const keyOf = (namespace: string, name: string) => `${namespace}/${name}`;
  const namespaceOf = (pod: Pod) => pod.metadata?.namespace ?? '';
  const podKey = (pod: Pod) => `${namespaceOf(pod)}/${pod.metadata?.name ?? ''}/${podUid(pod)}`;

  const acquire = (namespace: string, name: string) => {
    const key = keyOf(namespace, name);
    const entry = items.get(key) ?? { item: create(namespace, name), references: 0 };
    items.set(key, entry);
    entry.references += 1;
    referenced?.(entry.item);
  };
  const release = (namespace: string, name: string) => {
    const key = keyOf(namespace, name);
    const entry = items.get(key);
    if (entry === undefined) return;
    entry.references -= 1;
    if (entry.references > 0) return;
    items.delete(key);
    released?.(entry.item);
  };

  return {
    register(pod) {
      const [namespace, key, names] = [namespaceOf(pod), podKey(pod), namesOf(pod)];
      const before = pods.get(key) ?? [];
      pods.set(key, names);
      for (const name of names) acquire(namespace, name);
      for (const name of before) release(namespace, name);
    },
    unregister(pod) {
      const key = podKey(pod);
      const names = pods.get(key) ?? [];
      pods.delete(key);
      for (const name of names) release(namespaceOf(pod), name);
    },
    get: (namespace, name) => items.get(keyOf(namespace, name))?.item,
    *all() {
      for (const { item } of items.values()) yield item;
    },
  };
}
