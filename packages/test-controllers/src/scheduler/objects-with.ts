import type { StoredObject } from '../controller-objects.js';
import type { ObjectWrite } from './framework/plugin.js';
import type { ObjectReader } from './framework/snapshot.js';

/** Objects of the given lists, and a function that makes a write visible in them. */
export function objectsWith(lists: Readonly<Record<string, readonly StoredObject[]>>): {
  reader: ObjectReader;
  write(change: ObjectWrite): void;
} {
  const written: Record<string, readonly StoredObject[]> = { ...lists };
  const isAt = (namespace: string | undefined, name: string) => (object: StoredObject) =>
    object.metadata.name === name && (namespace === undefined || object.metadata.namespace === namespace);
  return {
    reader: {
      get: (storage, namespace, name) => written[storage]?.find(isAt(namespace, name)),
      list: (storage, namespace) =>
        written[storage]?.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace) ?? [],
    },
    write({ storage, after }) {
      const isSame = isAt(after.metadata.namespace, after.metadata.name ?? '');
      written[storage] = [...(written[storage] ?? []).filter((object) => !isSame(object)), after];
    },
  };
}
