import { createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createImageGcManager } from './image-gc-manager.js';
import { createTestNode, type TestNodeOptions } from './test-node.js';

const minute = 60_000;

const testNode = (options?: TestNodeOptions) =>
  createTestNode({ clock: createVirtualClock(), recorder: createRecordingRecorder(), logger: createRecordingLogger() }, options);

describe('garbageCollect', () => {
  it('removes the longest unused images until usage is at the lower threshold, and does what its plan said', async () => {
    const node = testNode();
    node.add('a', 300n);
    node.add('b', 200n);
    node.add('c', 350n);
    node.inUse.add('b');
    await node.manager.detectImages();
    await node.clock.advance(5 * minute);
    node.inUse.delete('b');
    node.inUse.add('c');
    const plan = await node.manager.plan();
    expect(node.removals).toEqual([]);
    expect(await node.manager.garbageCollect()).toEqual([{ id: 'a', size: 300n, reason: 'space' }]);
    expect(plan.images.filter(({ action }) => action === 'remove').map(({ id }) => id)).toEqual(node.removals);
    expect(node.counted).toEqual(['kubelet_image_garbage_collected_total space']);
    expect(node.collected).toEqual([{ remaining: [], present: ['b', 'c'], freeTime: node.clock.now() }]);
    expect(await node.manager.garbageCollect()).toEqual([]);
    expect(node.collected).toHaveLength(1);
  });

  it('says that images are not what fills the disk', async () => {
    const node = testNode({ otherBytes: 900n });
    node.add('a', 50n);
    await node.manager.detectImages();
    await node.clock.advance(2 * minute);
    await expect(node.manager.garbageCollect()).rejects.toMatchObject({ code: 'FreeDiskSpaceFailed' });
    expect(node.recorder.events).toMatchObject([{ object: { kind: 'Node', name: 'n1' }, reason: 'FreeDiskSpaceFailed' }]);
    expect(node.recorder.lines[0]).toContain('(95% of 1000 B used)');
    expect(node.recorder.lines[0]).toContain('(freed 50 bytes)');
  });

  it('complains about a disk without capacity', async () => {
    const node = testNode({ capacityBytes: 0n });
    await expect(node.manager.garbageCollect()).rejects.toMatchObject({ code: 'InvalidDiskCapacity' });
    expect(node.recorder.lines).toEqual(['Warning InvalidDiskCapacity invalid capacity 0 on image filesystem']);
  });

  it('removes what is too old however much space there is', async () => {
    const node = testNode({ settings: { imageMaximumGCAgeMs: 60 * minute } });
    node.add('a', 1n);
    await node.manager.garbageCollect();
    await node.clock.advance(61 * minute);
    expect(await node.manager.garbageCollect()).toEqual([{ id: 'a', size: 1n, reason: 'age' }]);
    expect(node.collected).toEqual([]);
  });
});

describe('when a part fails', () => {
  it.each([
    ['listImages', 'ImagesUnknown'],
    ['imagesInUse', 'ImageUseUnknown'],
    ['imageFsStats', 'ImageFsUnknown'],
  ])('%s: nothing is removed, and the next collection works', async (name, code) => {
    const node = testNode();
    node.add('a', 900n);
    await node.manager.detectImages();
    await node.clock.advance(5 * minute);
    node.faults.set(name, new Error('no answer today'));
    await expect(node.manager.garbageCollect()).rejects.toMatchObject({ code, message: 'no answer today', retryable: true });
    expect(node.removals).toEqual([]);
    node.faults.clear();
    expect(await node.manager.garbageCollect()).toHaveLength(1);
  });

  it('goes on after an image that cannot be removed, and tells of each reason once', async () => {
    const node = testNode();
    for (const id of ['a', 'b', 'c']) node.add(id, 300n);
    await node.manager.detectImages();
    await node.clock.advance(5 * minute);
    node.faults.set('removeImage:a', new Error('busy'));
    node.faults.set('removeImage:b', new Error('busy'));
    await expect(node.manager.garbageCollect()).rejects.toMatchObject({
      code: 'ImagesNotDeleted',
      message: 'wanted to free 100 bytes, but freed 300 bytes space with errors in image deletion: busy',
    });
    expect(node.removals).toEqual(['a', 'b', 'c']);
    expect(node.manager.records().map(({ id }) => id)).toEqual(['a', 'b']);
    expect(node.collected).toEqual([]);
  });

  it('does not go on to free space when old images cannot be removed', async () => {
    const node = testNode({ settings: { imageMaximumGCAgeMs: 10 * minute } });
    node.add('a', 500n);
    node.add('b', 500n);
    await node.manager.detectImages();
    await node.clock.advance(11 * minute);
    node.faults.set('removeImage:a', new Error('busy'));
    await expect(node.manager.garbageCollect()).rejects.toMatchObject({
      code: 'OldImagesNotDeleted',
      message: 'wanted to free images older than 10m0s, encountered errors in image deletion: busy',
    });
    expect(node.removals).toEqual(['a', 'b']);
  });

  it.each(['listImages', 'imagesInUse', 'imageFsStats', 'removeImage:a'])('%s gives no answer: it is given up', async (name) => {
    const node = testNode({ settings: { imageMinimumGCAgeMs: 0 } });
    node.add('a', 900n);
    node.faults.set(name, () => new Promise(() => {}));
    await expect(node.clock.run(node.manager.garbageCollect())).rejects.toThrow('no answer within 120000 ms');
    expect(node.clock.pending).toBe(0);
  });

  it('logs what the hook rejects with', async () => {
    const node = testNode({
      settings: { imageMinimumGCAgeMs: 0 },
      onCollected: () => Promise.reject(new Error('records are locked')),
    });
    node.add('a', 900n);
    expect(await node.manager.garbageCollect()).toHaveLength(1);
    expect(node.logger.texts().join()).toContain('records are locked');
  });
});

describe('deleteUnusedImages', () => {
  it('removes all that nothing uses and that is not young, without a look at the disk', async () => {
    const node = testNode();
    for (const id of ['a', 'b', 'c']) node.add(id, 1n);
    node.add('pause', 1n, true);
    node.inUse.add('b');
    await node.manager.detectImages();
    await node.clock.advance(2 * minute);
    node.add('young', 1n);
    node.faults.set('imageFsStats', new Error('not asked'));
    expect(await node.manager.deleteUnusedImages()).toMatchObject([{ id: 'a' }, { id: 'c' }]);
    expect(node.collected).toMatchObject([{ remaining: ['young'], present: ['b', 'pause', 'young'] }]);
  });

  it('waits for a collection that is under way, and its caller need not', async () => {
    const node = testNode({ settings: { imageMinimumGCAgeMs: 0 } });
    node.add('a', 900n);
    let release = () => {};
    node.faults.set(
      'removeImage:a',
      () =>
        new Promise<never>((resolve) => {
          release = resolve as () => void;
        }),
    );
    const first = node.manager.garbageCollect();
    await node.clock.settle();
    const gaveUp = new AbortController();
    const second = node.manager.deleteUnusedImages(gaveUp.signal);
    const third = node.manager.deleteUnusedImages();
    gaveUp.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    release();
    expect(await first).toHaveLength(1);
    expect(await third).toEqual([]);
    expect(node.removals).toEqual(['a']);
  });
});

describe('start', () => {
  it('collects at once and every five minutes; only the second failure in a row is an event', async () => {
    const node = testNode();
    node.faults.set('listImages', new Error('runtime is away'));
    await node.manager.start();
    await node.manager.start();
    await node.clock.advance(4 * minute);
    expect(node.recorder.lines).toEqual([]);
    await node.clock.advance(minute);
    expect(node.recorder.lines).toEqual(['Warning ImageGCFailed runtime is away']);
    node.faults.clear();
    await node.clock.advance(5 * minute);
    node.faults.set('listImages', new Error('runtime is away'));
    await node.clock.advance(5 * minute);
    expect(node.recorder.lines).toHaveLength(1);
    await node.manager.stop();
    await node.manager.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('only looks at the images where collection is off', async () => {
    const node = testNode({ settings: { imageGCHighThresholdPercent: 100 } });
    node.add('a', 1000n);
    await node.manager.start();
    await node.clock.advance(60 * minute);
    expect(node.manager.records()).toHaveLength(1);
    expect(node.removals).toEqual([]);
    await node.manager.stop();
  });

  it('stops in the middle of a call that does not end, with the signal of its start', async () => {
    const node = testNode();
    node.faults.set('listImages', () => new Promise(() => {}));
    const life = new AbortController();
    await node.manager.start(life.signal);
    await node.clock.advance(1000);
    life.abort();
    await node.manager.stop();
    expect(node.clock.pending).toBe(0);
    expect(node.recorder.lines).toEqual([]);
  });
});

it.each([
  ['nodeName', { nodeName: '' }],
  ['images.removeImage', { images: { listImages: async () => [] } as never }],
  ['imageFsStats', { imageFsStats: undefined as never }],
  ['settings.imageGCHighThresholdPercent', { settings: { imageGCHighThresholdPercent: 101 } }],
  ['settings.imageGCLowThresholdPercent', { settings: { imageGCLowThresholdPercent: 86 } }],
  ['settings.imageMinimumGCAgeMs', { settings: { imageMinimumGCAgeMs: -1 } }],
  ['settings.periodMs', { settings: { periodMs: 0 } }],
])('refuses a wrong %s', (field, wrong) => {
  const right = {
    nodeName: 'n1',
    images: { listImages: async () => [], removeImage: async () => {} },
    imagesInUse: async () => [],
    imageFsStats: async () => ({}),
  };
  expect(() => createImageGcManager({ ...right, ...wrong })).toThrow(
    expect.objectContaining({ code: 'InvalidOption', details: { field } }),
  );
});
