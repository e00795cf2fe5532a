import type { PodRuntimeStatus } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createContainerGc } from './container-gc.js';

const status = { uid: 'a' } as PodRuntimeStatus;

function setUp({ collectMs = 0, deleteMs = 0 } = {}) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const collections: { at: number; ready: boolean }[] = [];
  const deletions: string[] = [];
  const state = { ready: true, error: undefined as Error | undefined, cacheError: undefined as Error | undefined, atOnce: 0, maxAtOnce: 0 };
  const gc = createContainerGc({
    runtime: {
      async garbageCollect(ready) {
        collections.push({ at: clock.monotonic(), ready });
        state.atOnce++;
        state.maxAtOnce = Math.max(state.maxAtOnce, state.atOnce);
        if (collectMs > 0) await clock.sleep(collectMs);
        state.atOnce--;
        if (state.error) throw state.error;
      },
    },
    reclaiming: {
      async deleteDeadContainers(of, id, removeAll) {
        deletions.push(`${of.uid} ${id} ${removeAll}`);
        if (deleteMs > 0) await clock.sleep(deleteMs);
      },
    },
    podCache: {
      get() {
        if (state.cacheError) throw state.cacheError;
        return status;
      },
    },
    podWorkers: { shouldPodContentBeRemoved: (uid) => uid === 'removed' },
    allSourcesReady: () => state.ready,
    clock,
    logger,
    containerGCPeriodMs: 60_000,
  });
  return { clock, logger, collections, deletions, state, gc };
}

it('collects once a minute after its start, also after failures', async () => {
  const { clock, collections, state, gc, logger } = setUp();
  state.error = new Error('busy');
  state.ready = false;
  gc.start();
  await clock.advance(125_000);
  expect(collections).toEqual([
    { at: 60_000, ready: false },
    { at: 120_000, ready: false },
  ]);
  expect(logger.texts('warn')).toEqual(['container garbage collection failed: busy', 'container garbage collection failed: busy']);
  await gc.stop();
  expect(clock.pending).toBe(0);
});

it('collects once for concurrent requests, and then a minute later', async () => {
  const { clock, collections, gc } = setUp();
  gc.requestCollection();
  gc.start();
  await clock.advance(10_000);
  gc.requestCollection();
  await clock.advance(500);
  gc.requestCollection();
  await clock.advance(61_000);
  expect(collections.map(({ at }) => at)).toEqual([11_000, 71_000]);
  await gc.stop();
});

it('runs one collection at a time, and waits for it in stop()', async () => {
  const { clock, collections, state, gc } = setUp({ collectMs: 5_000 });
  gc.start();
  const first = gc.collect();
  const second = gc.collect();
  await clock.advance(4_000);
  expect(collections).toHaveLength(1);
  await clock.run(Promise.all([first, second]));
  expect([collections.length, state.maxAtOnce]).toEqual([2, 1]);
  void gc.collect();
  await clock.settle();
  await clock.run(gc.stop());
  expect([collections.length, clock.pending]).toEqual([3, 0]);
});

it('removes dead containers, at most 50 at once, and none of a pod whose status is unknown', async () => {
  const { clock, deletions, state, gc } = setUp({ deleteMs: 1_000 });
  gc.containerDied('early', 'c');
  gc.start();
  gc.containerDied('a', 'c1');
  gc.containerDied('removed', 'c2');
  await clock.settle();
  expect(deletions).toEqual(['a c1 false', 'a c2 true']);
  for (let i = 0; i < 60; i++) gc.containerDied('a', `x${i}`);
  await clock.advance(1_000);
  expect(deletions).toHaveLength(50);
  state.cacheError = new Error('no status');
  gc.containerDied('a', 'c3');
  await clock.settle();
  expect(deletions).toHaveLength(50);
  await gc.stop();
  expect(clock.pending).toBe(0);
});

it('rejects a period that is not a positive number', () => {
  const options = { runtime: {}, podCache: {}, podWorkers: {} } as never as Parameters<typeof createContainerGc>[0];
  expect(() => createContainerGc({ ...options, containerGCPeriodMs: 0 })).toThrow('containerGCPeriodMs must be a number above 0, got 0');
});
