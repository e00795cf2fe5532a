import type { KubeObject, ObjectChange, ObjectKey } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';

/** The cache of an informer. Writes return the changes. */
export interface ObjectStore<T extends KubeObject> {
  readonly size: number;
  list(): readonly T[];
  get(key: ObjectKey): T | undefined;
  /** Replaces the content by a list. Returns only the differences, deletions first. */
  replace(items: readonly T[]): ObjectChange<T>[];
  put(object: T): ObjectChange<T>[];
  remove(object: T): ObjectChange<T>[];
}

/**
 * Objects are identified by namespace and name, and compared by `resourceVersion`. A re-created object has another UID:
 * it is reported as a deletion and an addition.
 */
export function createObjectStore<T extends KubeObject>(): ObjectStore<T> {
  let objects = new Map<string, T>();
  const store: ObjectStore<T> = {
    get size() {
      return objects.size;
    },
    list: () => [...objects.values()],
    get: ({ namespace, name }) => objects.get(keyOf(namespace, name)),
    replace(items) {
      const before = objects;
      objects = new Map(items.map((item) => [keyOfObject(item), item]));
      const deleted = [...before].filter(([key]) => !objects.has(key)).map(([, old]) => ({ old }));
      return [...deleted, ...[...objects].flatMap(([key, object]) => difference(before.get(key), object))];
    },
    put(object) {
      const key = keyOfObject(object);
      const old = objects.get(key);
      objects.set(key, object);
      return difference(old, object);
    },
    remove(object) {
      const key = keyOfObject(object);
      const old = objects.get(key);
      return old !== undefined && objects.delete(key) ? [{ old: object }] : [];
    },
  };
  return store;
}

function difference<T extends KubeObject>(old: T | undefined, object: T): ObjectChange<T>[] {
  if (old === undefined) return [{ object }];
  if (old.metadata?.uid !== object.metadata?.uid) return [{ old }, { object }];
  return old.metadata?.resourceVersion === object.metadata?.resourceVersion ? [] : [{ old, object }];
}

/** Whether the object has a name and a version, which the cache needs. */
export function isStorable(object: unknown): boolean {
  if (!isObject(object) || !isObject(object.metadata)) return false;
  const { name, namespace, resourceVersion } = object.metadata;
  const isNamed = typeof name === 'string' && name !== '' && (namespace === undefined || typeof namespace === 'string');
  return isNamed && typeof resourceVersion === 'string' && resourceVersion !== '';
}

const keyOfObject = ({ metadata }: KubeObject) => keyOf(metadata?.namespace, metadata?.name);

/** Unambiguous, because names contain no slash. */
const keyOf = (namespace: string | undefined, name: string | undefined) => `${namespace ?? ''}/${name}`;
