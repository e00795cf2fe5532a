import type { Clock } from '@nodeagent/api';
import type { FilesystemUsage } from '@nodeagent/cri-api';
import type { RuntimeImageStore } from '../images/image-store.js';

/** How long a measurement counts, as in containerd. */
const maxAgeMs = 10_000;
/** A layer with many files is measured less often, so that it takes at most this part of the time. */
const maxShare = 0.05;

export interface LayerUsagesPorts {
  store: Pick<RuntimeImageStore, 'root' | 'snapshotUsage'>;
  clock: Pick<Clock, 'monotonic'>;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** What the writable layers of containers take. */
export interface LayerUsages {
  /**
   * The last measurement; waits only for the first one. One that is older than 10 s starts the next. Undefined for a layer that cannot be measured, such as
   * that of a container that is being removed.
   */
  of(containerId: string): Promise<FilesystemUsage | undefined>;
  /** Drops the measurement of a removed container. */
  forget(containerId: string): void;
  /** Ends running measurements. */
  close(): void;
}

interface Layer {
  usage: FilesystemUsage | undefined;
  /** When the next measurement may start. */
  dueMs: number;
  running: Promise<void> | undefined;
}

export function createLayerUsages({ store, clock, now }: LayerUsagesPorts): LayerUsages {
  const closing = new AbortController();
  const layers = new Map<string, Layer>();

  async function measure(id: string, layer: Layer): Promise<void> {
    const startMs = clock.monotonic();
    layer.usage = await store.snapshotUsage(id, closing.signal).then(
      ({ usedBytes, inodesUsed }) => ({
        timestamp: now(),
        fsId: { mountpoint: store.root },
        usedBytes: { value: usedBytes },
        inodesUsed: { value: inodesUsed },
      }),
      () => undefined,
    );
    const endMs = clock.monotonic();
    layer.dueMs = Math.max(startMs + maxAgeMs, endMs + (endMs - startMs) / maxShare);
    layer.running = undefined;
  }

  return {
    async of(id) {
      const layer = layers.get(id) ?? { usage: undefined, dueMs: clock.monotonic(), running: undefined };
      layers.set(id, layer);
      if (layer.running === undefined && clock.monotonic() >= layer.dueMs) layer.running = measure(id, layer);
      if (layer.usage === undefined) await layer.running;
      return layer.usage;
    },
    forget: (id) => void layers.delete(id),
    close: () => closing.abort(),
  };
}
