import { type EventRecorder, errorCode, errorMessage } from '@nodeagent/api';
import { createImageGcManager, imageGcErrorCodes } from '@nodeagent/image-gc';
import { createVirtualClock } from '@nodeagent/testing';
import { type Adapter, defineAdapter } from '../adapter.js';
import { unrecordedGcErrorText } from '../masks.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

const errorClasses: Record<string, string> = {
  [imageGcErrorCodes.imagesUnknown]: 'list',
  [imageGcErrorCodes.useUnknown]: 'pods',
  [imageGcErrorCodes.imageFsUnknown]: 'stats',
  [imageGcErrorCodes.oldImagesNotDeleted]: 'ageDeletion',
  [imageGcErrorCodes.imagesNotDeleted]: 'spaceDeletion',
  [imageGcErrorCodes.freeDiskSpaceFailed]: 'insufficient',
  [imageGcErrorCodes.invalidDiskCapacity]: 'invalidCapacity',
};

/** A manager with the inputs of the current step, and its actions in that step. */
function simulation(input: Recorded) {
  const clock = createVirtualClock();
  let step: Recorded;
  let did = nothing();
  const failIf = (fails: boolean | undefined) => {
    if (fails) throw new Error('the call fails');
  };
  const bytes = (value: number | undefined) => (value === undefined ? undefined : BigInt(value));
  const recorder: EventRecorder = { event: (_, type, reason, message) => void did.events.push({ type, reason, message }) };
  const manager = createImageGcManager({
    nodeName: 'node',
    clock,
    recorder,
    images: {
      async listImages() {
        failIf(step.listImagesError);
        return step.images.map(({ id, size, pinned }: Recorded) => ({ id, size: BigInt(size), pinned }));
      },
      async removeImage(id) {
        did.removeCalls.push(id);
        failIf(step.removeFails?.includes(id));
      },
    },
    async imagesInUse() {
      failIf(step.getPodsError);
      return [...(step.usedByContainers ?? []), ...(step.mountedAsVolumes ?? [])];
    },
    async imageFsStats() {
      failIf(step.statsError);
      const { capacityBytes, availableBytes } = step;
      return {
        ...(capacityBytes !== undefined && { capacityBytes: bytes(capacityBytes) }),
        ...(availableBytes !== undefined && { availableBytes: bytes(availableBytes) }),
      };
    },
    onCollected({ remaining }) {
      did.hookCalls++;
      did.hookRemaining.push(...remaining);
    },
    settings: {
      imageGCHighThresholdPercent: input.highThresholdPercent,
      imageGCLowThresholdPercent: input.lowThresholdPercent,
      imageMinimumGCAgeMs: input.minAgeSeconds * 1000,
      imageMaximumGCAgeMs: input.maxAgeSeconds * 1000,
    },
  });
  const ops: Record<string, () => Promise<unknown>> = {
    detect: () => manager.detectImages(),
    garbageCollect: () => manager.garbageCollect(),
    deleteUnused: () => manager.deleteUnusedImages(),
  };
  return async (next: Recorded) => {
    step = next;
    did = nothing();
    await clock.advance(step.advanceSeconds * 1000);
    const error = await ops[step.op]?.().then(
      () => undefined,
      (failure: unknown) => failure,
    );
    const errorClass = error === undefined ? '' : (errorClasses[errorCode(error) ?? ''] ?? errorMessage(error));
    const records = manager.records().map(({ id, firstDetected, lastUsed, size, pinned }) => [
      id,
      {
        firstDetected: firstDetected / 1000,
        ...(lastUsed !== undefined && { lastUsed: lastUsed / 1000 }),
        size: Number(size),
        pinned,
      },
    ]);
    return { ...did, errorClass, ...(error !== undefined && { errorMessage: errorMessage(error) }), records: Object.fromEntries(records) };
  };
}

const nothing = () => ({
  removeCalls: [] as string[],
  events: [] as Recorded[],
  hookCalls: 0,
  hookRemaining: [] as string[],
});

export const imageGcAdapters: Adapter[] = [
  defineAdapter(
    'image-gc-sim',
    async (input) => {
      const run = simulation(input);
      const steps: Recorded[] = [];
      for (const step of input.steps) steps.push(await run(step));
      return { steps };
    },
    { masks: [unrecordedGcErrorText] },
  ),
];
