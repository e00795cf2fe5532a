import { setMaxListeners } from 'node:events';
import type { Clock, VolumeUsage } from '@nodeagent/api';
import type { FilesystemUsage } from '@nodeagent/cri-api';

/** How long a measurement counts, as in containerd. */
const maxAgeMs = 10_000;
/** A layer with many files is measured less often, so that it takes at most this part of the time. */
const maxShare = 0.05;

export interface LayerUsagesPorts {
  /** The folder of the layers. */
  mountpoint: string;
  measure(containerId: string, signal: AbortSignal): Promise<VolumeUsage>;
  clock: Pick<Clock, 'monotonic'>;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** What the writable layers of containers take. */
export interface LayerUsages {
  /** That of the layers. */
  readonly folder: string;
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

export function createLayerUsages({ mountpoint, measure, clock, now }: LayerUsagesPorts): LayerUsages {
  const closing = new AbortController();
  // Each measurement listens to it.
  setMaxListeners(0, closing.signal);
  const layers = new Map<string, Layer>();

  async function update(id: string, layer: Layer): Promise<void> {
    const startMs = clock.monotonic();
    layer.usage = await measure(id, closing.signal).then(
      ({ usedBytes, inodesUsed }) => ({
        timestamp: now(),
        fsId: { mountpoint },
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
    folder: mountpoint,
    async of(id) {
      const layer = layers.get(id) ?? { usage: undefined, dueMs: clock.monotonic(), running: undefined };
      layers.set(id, layer);
      if (layer.running === undefined && clock.monotonic() >= layer.dueMs) layer.running = update(id, layer);
      if (layer.usage === undefined) await layer.running;
      return layer.usage;
    },
    forget: (id) => void layers.delete(id),
    close: () => closing.abort(),
  };
}
