import { invalidOption, type ObjectGetter } from '@nodeagent/api';
import type { ReferencedKind, ReferencedKinds } from './kinds.js';
import type { PodObjects } from './pod-objects.js';

/**
 * The strategy `Get` of `configMapAndSecretChangeDetectionStrategy`: every read is a request, independent of registered pods.
 * Throws `InvalidOption`.
 */
export function createFetchedObjects<K extends ReferencedKind>(options: {
  objects: ObjectGetter<ReferencedKinds[K]>;
}): PodObjects<ReferencedKinds[K]> {
  const { objects } = options;
  if (typeof objects?.get !== 'function') throw invalidOption('objects', 'an object with get', objects);
  return {
    registerPod() {},
    unregisterPod() {},
    get: (namespace, name, signal) => objects.get({ namespace, name }, signal && { signal }),
  };
}
