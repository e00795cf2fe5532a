import type { Clock, EventRecorder, Logger, Metrics } from '@nodeagent/api';
import { createImageGcManager } from './image-gc-manager.js';
import type { ListedImage } from './image-record.js';
import type { CollectedImages, ImageGcManagerOptions } from './options.js';

export type TestNodeOptions = Partial<ImageGcManagerOptions> & { capacityBytes?: bigint; otherBytes?: bigint };

/** For this package's tests: a node whose images fill its disk, with injected failures. */
export function createTestNode<C extends Clock, R extends EventRecorder, L extends Logger>(
  { clock, recorder, logger }: { clock: C; recorder: R; logger: L },
  options: TestNodeOptions = {},
) {
  const { capacityBytes = 1000n, otherBytes = 0n, ...overrides } = options;
  const images = new Map<string, ListedImage & { size: bigint }>();
  const inUse = new Set<string>();
  const removals: string[] = [];
  const collected: CollectedImages[] = [];
  const counted: string[] = [];
  /** Injected failures by call; `removeImage:<id>` for one image. The value is the rejection, or a function to run instead. */
  const faults = new Map<string, Error | (() => Promise<never>)>();
  let calls = 0;
  const call = async (name: string) => {
    calls++;
    const fault = faults.get(name);
    if (fault instanceof Error) throw fault;
    await fault?.();
  };
  const disk = { capacityBytes, otherBytes };
  const metrics: Metrics = {
    counter: ({ name }) => ({ inc: (labels) => void counted.push(`${name} ${labels?.reason}`) }),
    gauge: () => ({ set() {} }),
    histogram: () => ({ observe() {} }),
  };
  const manager = createImageGcManager({
    nodeName: 'n1',
    clock,
    recorder,
    logger,
    metrics,
    images: {
      async listImages() {
        await call('listImages');
        return [...images.values()];
      },
      async removeImage(id) {
        removals.push(id);
        await call(`removeImage:${id}`);
        images.delete(id);
      },
    },
    async imagesInUse() {
      await call('imagesInUse');
      return inUse;
    },
    async imageFsStats() {
      await call('imageFsStats');
      const used = [...images.values()].reduce((sum, { size }) => sum + size, disk.otherBytes);
      return { capacityBytes: disk.capacityBytes, availableBytes: used > disk.capacityBytes ? 0n : disk.capacityBytes - used };
    },
    onCollected: (what) => void collected.push(what),
    ...overrides,
  });
  return {
    manager,
    clock,
    recorder,
    logger,
    images,
    inUse,
    removals,
    collected,
    counted,
    faults,
    disk,
    get calls() {
      return calls;
    },
    add(id: string, size: bigint, pinned = false) {
      images.set(id, { id, size, pinned });
    },
  };
}
