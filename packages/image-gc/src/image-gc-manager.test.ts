import { createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createImageGcManager } from './image-gc-manager.js';
import { createTestNode, type TestNodeOptions } from './test-node.js';

const minute = 60_000;

const testNode = (options?: TestNodeOptions) =>
  createTestNode({ clock: createVirtualClock(), recorder: createRecordingRecorder(), logger: createRecordingLogger() }, options);

describe('garbageCollect', () => {
  it('removes the longest unused images until usage is at the low threshold, as planned', async () => {
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
    expect(await node.manager.garbageCollect()).toEqual([{ id: 'a', size: 300, reason: 'space' }]);
    expect(plan.images.filter(({ action }) => action === 'remove').map(({ id }) => id)).toEqual(node.removals);
    expect(node.counted).toEqual(['kubelet_image_garbage_collected_total space']);
    expect(node.collected).toEqual([{ remaining: [], present: ['b', 'c'], freeTime: node.clock.now() }]);
    expect(await node.manager.garbageCollect()).toEqual([]);
    expect(node.collected).toHaveLength(1);
  });

  it('fails if removing all unused images does not free enough space', async () => {
    const node = testNode({ otherBytes: 900n });
    node.add('a', 50n);
    await node.manager.detectImages();
    await node.clock.advance(2 * minute);
    await expect(node.manager.garbageCollect()).rejects.toMatchObject({ code: 'FreeDiskSpaceFailed' });
    expect(node.recorder.events).toMatchObject([{ object: { kind: 'Node', name: 'n1' }, reason: 'FreeDiskSpaceFailed' }]);
    expect(node.recorder.lines[0]).toContain('(95% of 1000 B used)');
    expect(node.recorder.lines[0]).toContain('(freed 50 bytes)');
  });

  it('fails for a file system with capacity 0', async () => {
    const node = testNode({ capacityBytes: 0n });
    await expect(node.manager.garbageCollect()).rejects.toMatchObject({ code: 'InvalidDiskCapacity' });
    expect(node.recorder.lines).toEqual(['Warning InvalidDiskCapacity invalid capacity 0 on image filesystem']);
  });

  it('removes images that exceed the maximum age at any disk usage', async () => {
    const node = testNode({ settings: { imageMaximumGCAgeMs: 60 * minute } });
    node.add('a', 1n);
    await node.manager.garbageCollect();
    await node.clock.advance(61 * minute);
    expect(await node.manager.garbageCollect()).toEqual([{ id: 'a', size: 1, reason: 'age' }]);
    expect(node.collected).toEqual([]);
  });
});

describe('faults', () => {
  it.each([
    ['listImages', 'ImagesUnknown'],
    ['imagesInUse', 'ImageUseUnknown'],
    ['imageFsStats', 'ImageFsUnknown'],
  ])('%s: removes nothing, and the next collection succeeds', async (name, code) => {
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

  it('continues after a failed removal, and reports each cause once', async () => {
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

  it('does not free space if removing old images fails', async () => {
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

  it.each(['listImages', 'imagesInUse', 'imageFsStats', 'removeImage:a'])('abandons %s on a timeout', async (name) => {
    const node = testNode({ settings: { imageMinimumGCAgeMs: 0 } });
    node.add('a', 900n);
    node.faults.set(name, () => new Promise(() => {}));
    await expect(node.clock.run(node.manager.garbageCollect())).rejects.toThrow('no answer within 120000 ms');
    expect(node.clock.pending).toBe(0);
  });

  it('logs an error of onCollected', async () => {
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
  it('removes all unused images above the minimum age at any disk usage', async () => {
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

  it('removes no further image once its caller aborts, and does not begin if that waits for its turn', async () => {
    const node = testNode({ otherBytes: 900n });
    for (const id of ['a', 'b', 'c']) node.add(id, 30n);
    await node.manager.detectImages();
    await node.clock.advance(2 * minute);
    const [first, second] = [new AbortController(), new AbortController()];
    const removing = new Promise<void>((resolve) => {
      node.faults.set('removeImage:a', () => {
        resolve();
        return new Promise<never>(() => {});
      });
    });
    const collected = expect(node.manager.deleteUnusedImages(first.signal)).rejects.toThrow(/^enough$/);
    const waited = expect(node.manager.deleteUnusedImages(second.signal)).rejects.toThrow(/^not needed$/);
    await removing;
    second.abort(new Error('not needed'));
    const { calls } = node;
    first.abort(new Error('enough'));
    await Promise.all([collected, waited]);
    await node.manager.stop();
    expect([node.removals, node.calls, node.collected]).toEqual([['a'], calls, []]);
  });

  it('waits for a running collection, unless its caller aborts', async () => {
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
  it('collects immediately and every five minutes, and emits an event from the second consecutive failure', async () => {
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

  it('only detects images if collection is disabled', async () => {
    const node = testNode({ settings: { imageGCHighThresholdPercent: 100 } });
    node.add('a', 1000n);
    await node.manager.start();
    await node.clock.advance(60 * minute);
    expect(node.manager.records()).toHaveLength(1);
    expect(node.removals).toEqual([]);
    await node.manager.stop();
  });

  it('stops during a hanging call when the signal of start aborts', async () => {
    const node = testNode();
    node.faults.set('listImages', () => new Promise(() => {}));
    const lifetime = new AbortController();
    await node.manager.start(lifetime.signal);
    await node.clock.advance(1000);
    lifetime.abort();
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
])('rejects an invalid %s', (field, wrong) => {
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
