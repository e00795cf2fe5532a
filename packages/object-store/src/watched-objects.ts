import {
  type Clock,
  type InformerSource,
  invalidOption,
  type Logger,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { objectNotRegistered } from './errors.js';
import { type ReferencedKind, type ReferencedKinds, referencedKinds } from './kinds.js';
import type { PodObjects } from './pod-objects.js';
import { createReferencedItems } from './referenced-items.js';
import { WatchedObject } from './watched-object.js';

/** Options of {@link createWatchedObjects}. */
export interface WatchedObjectsOptions<K extends ReferencedKind> {
  kind: K;
  /** Makes the watches, one for each object. */
  source: InformerSource<ReferencedKinds[K]>;
  /** Stops the watch of an object that was not read for this time, in milliseconds; the next read restarts it. Default 5 minutes. */
  idleTimeoutMs?: number;
  /** Default: the system clock. */
  clock?: Clock;
  logger?: Logger;
}

/** Watched objects: `stop` stops all watches, a new `start` restarts them. */
export interface WatchedObjects<K extends ReferencedKind> extends PodObjects<ReferencedKinds[K]>, Startable {}

/**
 * The strategy `Watch` of `configMapAndSecretChangeDetectionStrategy`: a watch for each object that a registered pod refers to. A reader
 * waits at most one second for an object that was not listed yet (`ObjectNotSynced`). The watch of an immutable object stops after the
 * first read. Throws `InvalidOption`.
 */
export function createWatchedObjects<K extends ReferencedKind>(options: WatchedObjectsOptions<K>): WatchedObjects<K> {
  const { kind, source, idleTimeoutMs = 300_000, clock = systemClock, logger = silentLogger } = options;
  const definition = referencedKinds[kind];
  if (definition === undefined) throw invalidOption('kind', 'Secret or ConfigMap', kind);
  if (typeof source?.informer !== 'function') throw invalidOption('source', 'an informer source', source);
  requirePositive('idleTimeoutMs', idleTimeoutMs);

  const { resource, namesOf } = definition;
  const ending = new Set<Promise<void>>();
  let isRunning = false;
  let forgetSignal: (() => void) | undefined;

  const begin = (namespace: string, name: string) => {
    const item = new WatchedObject({ namespace, name, resource, source, clock, logger, idleTimeoutMs });
    if (isRunning) item.watch();
    return item;
  };
  const end = (item: WatchedObject<ReferencedKinds[K]>) => {
    const ended = item.unwatch().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const items = createReferencedItems({ namesOf, create: begin, released: end });
  const stop = async () => {
    isRunning = false;
    forgetSignal?.();
    for (const item of items.all()) end(item);
    await Promise.all(ending);
  };

  return {
    registerPod: items.register,
    unregisterPod: items.unregister,
    async get(namespace, name, signal) {
      const item = items.get(namespace, name);
      if (item === undefined) throw objectNotRegistered(namespace, name);
      if (isRunning) item.watch();
      return item.read(signal);
    },
    async start(signal) {
      if (isRunning || signal?.aborted) return;
      isRunning = true;
      const abort = () => void stop();
      signal?.addEventListener('abort', abort, { once: true });
      forgetSignal = () => signal?.removeEventListener('abort', abort);
      for (const item of items.all()) item.watch();
    },
    stop,
  };
}
