import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createRuntimeInventory } from './runtime-inventory.js';

const image = { id: 'i', repoTags: ['a:1'], repoDigests: [], size: 1n, username: '', pinned: false };

function setUp(listImages: (signal?: AbortSignal) => Promise<{ images: (typeof image)[] }>) {
  const clock = createVirtualClock();
  let listings = 0;
  const inventory = createRuntimeInventory({
    runtime: { runtimeName: 'memory' },
    versioned: { runtimeVersion: async () => ({ name: 'memory', version: '1.2' }) },
    imageService: {
      listImages(_request, options) {
        listings++;
        return listImages(options?.signal);
      },
    },
    clock,
    logger: createRecordingLogger(),
  });
  return { clock, inventory, listings: () => listings };
}

it('lists images once in 30 s', async () => {
  const { clock, inventory, listings } = setUp(async () => ({ images: [image] }));
  const { signal } = new AbortController();
  expect(inventory.version()).toEqual({ type: 'memory' });
  for (let i = 0; i < 6; i++) {
    expect(await inventory.images(signal)).toEqual([image]);
    await clock.advance(10_000);
  }
  expect(listings()).toBe(2);
  expect(inventory.version()).toEqual({ type: 'memory', version: '1.2' });
  expect(clock.pending).toBe(0);
});

it('waits 1 s for a hanging runtime, calls it once, and returns the previous list', async () => {
  let hang = false;
  const { clock, inventory, listings } = setUp(() => (hang ? new Promise(() => {}) : Promise.resolve({ images: [image] })));
  const { signal } = new AbortController();
  await inventory.images(signal);
  await clock.advance(40_000);
  hang = true;
  const before = clock.monotonic();
  for (let i = 0; i < 3; i++) expect(await clock.run(inventory.images(signal))).toEqual([image]);
  expect(clock.monotonic() - before).toBe(3_000);
  expect(listings()).toBe(2);
  expect(clock.pending).toBe(0);
});

it('retries after a failure, and rejects when the signal aborts', async () => {
  let fail = true;
  const { clock, inventory } = setUp(() => (fail ? Promise.reject(new Error('no')) : Promise.resolve({ images: [image] })));
  const end = new AbortController();
  expect(await inventory.images(end.signal)).toEqual([]);
  fail = false;
  expect(await inventory.images(end.signal)).toEqual([image]);
  await clock.advance(40_000);
  end.abort(new Error('the end'));
  await expect(inventory.images(end.signal)).rejects.toThrow('the end');
});
