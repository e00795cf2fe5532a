import {
  type Clock,
  invalidOption,
  isApiReason,
  type KubeObject,
  type Node,
  type ObjectGetter,
  type ObjectKey,
  requirePositive,
  systemClock,
} from '@nodeagent/api';
import { objectNotRegistered } from './errors.js';
import { type ReferencedKind, type ReferencedKinds, referencedKinds } from './kinds.js';
import type { PodObjects } from './pod-objects.js';
import { createReferencedItems } from './referenced-items.js';
import { unlessAborted } from './unless-aborted.js';

/** Options of {@link createCachedObjects}. */
export interface CachedObjectsOptions<K extends ReferencedKind> {
  kind: K;
  objects: ObjectGetter<ReferencedKinds[K]>;
  /** How long a cached object is used without a request, in milliseconds. Default one minute. */
  ttlMs?: number;
  /** The cached Node of this node; its annotation `node.alpha.kubernetes.io/ttl` overrides `ttlMs`. Default: unknown. */
  getNode?(): Node | undefined;
  /** Default: the system clock. */
  clock?: Clock;
}

/** The last result: an object, or its absence. */
interface Fetched<T> {
  object?: T;
  notFound?: unknown;
  at: number;
  pending?: Promise<T>;
}

const ttlAnnotation = 'node.alpha.kubernetes.io/ttl';

/**
 * The strategy `Cache` of `configMapAndSecretChangeDetectionStrategy`: reading an object requests it if the cached one is older
 * than the TTL, or was cached before a pod that refers to it was registered. Concurrent readers share a call, which continues if
 * one of them aborts. If the API server is unreachable, the cached object is used. Throws `InvalidOption`.
 */
export function createCachedObjects<K extends ReferencedKind>(options: CachedObjectsOptions<K>): PodObjects<ReferencedKinds[K]> {
  const { kind, objects, ttlMs = 60_000, getNode, clock = systemClock } = options;
  const definition = referencedKinds[kind];
  if (definition === undefined) throw invalidOption('kind', 'Secret or ConfigMap', kind);
  if (typeof objects?.get !== 'function') throw invalidOption('objects', 'an object with get', objects);
  requirePositive('ttlMs', ttlMs);
  type T = ReferencedKinds[K];

  const items = createReferencedItems<{ fetched: Fetched<T> }>({
    namesOf: definition.namesOf,
    create: () => ({ fetched: { at: 0 } }),
    referenced(item) {
      item.fetched = { at: 0 };
    },
  });
  const isFresh = ({ at }: Fetched<T>) => clock.monotonic() < at + (ttlOfNode(getNode?.()) ?? ttlMs);

  const refresh = async (key: ObjectKey, known: Fetched<T>): Promise<T> => {
    try {
      const object = await objects.get(key, known.object && { resourceVersion: '0' });
      if (!isOlder(object, known.object)) {
        known.object = object;
        known.notFound = undefined;
        known.at = clock.monotonic();
      }
    } catch (error) {
      if (isApiReason(error, 'NotFound')) {
        known.object = undefined;
        known.notFound = error;
      } else if (known.object === undefined && known.notFound === undefined) throw error;
    }
    if (known.object === undefined) throw known.notFound;
    return known.object;
  };

  return {
    registerPod: items.register,
    unregisterPod: items.unregister,
    async get(namespace, name, signal) {
      signal?.throwIfAborted();
      const fetched = items.get(namespace, name)?.fetched;
      if (fetched === undefined) throw objectNotRegistered(namespace, name);
      if (fetched.object !== undefined && isFresh(fetched)) return fetched.object;
      fetched.pending ??= refresh({ namespace, name }, fetched).finally(() => {
        fetched.pending = undefined;
      });
      return unlessAborted(fetched.pending, signal);
    },
  };
}

/** The TTL in the Node's annotation, in milliseconds; undefined without the annotation. */
export function ttlOfNode(node: Node | undefined): number | undefined {
  const seconds = node?.metadata?.annotations?.[ttlAnnotation];
  return seconds !== undefined && /^[+-]?\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

/** Whether the API server's cache returned an older version than the known one. */
function isOlder(object: KubeObject, known: KubeObject | undefined): boolean {
  return known !== undefined && versionOf(object) < versionOf(known);
}

function versionOf({ metadata }: KubeObject): bigint {
  const version = metadata?.resourceVersion ?? '';
  return /^\d+$/.test(version) ? BigInt(version) : 0n;
}
