import { createRecordingLogger, createRecordingRecorder, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode } from './test-node.js';

const minute = 60_000;
const tools = () => ({ clock: createVirtualClock(), recorder: createRecordingRecorder(), logger: createRecordingLogger() });
const [minAge, maxAge] = [2 * minute, 40 * minute];

/** Runs random steps and checks the promises of the manager against the records that the test keeps of them. */
async function simulate(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const hasMaxAge = random() < 0.3;
  const node = createTestNode(tools(), { settings: { imageMaximumGCAgeMs: hasMaxAge ? maxAge : 0 } });
  const imageBytes = () => [...node.images.values()].reduce((sum, { size }) => sum + size, 0n);
  const seen = new Map<string, { at: number; used?: number }>();
  let made = 0;
  for (let step = 0; step < 60; step++) {
    const size = BigInt(20 + below(150));
    if (random() < 0.6 && imageBytes() + size <= node.disk.capacityBytes) node.add(`i${made++}`, size, random() < 0.1);
    for (const id of node.images.keys()) {
      if (random() < 0.2) node.inUse.has(id) ? node.inUse.delete(id) : node.inUse.add(id);
      if (random() < 0.05) node.faults.set(`removeImage:${id}`, new Error('busy'));
      else node.faults.delete(`removeImage:${id}`);
    }
    if (random() < 0.1) {
      const removed = [...node.images.keys()][below(node.images.size)];
      if (removed !== undefined && !node.inUse.has(removed)) node.images.delete(removed);
    }
    const room = Number(node.disk.capacityBytes - imageBytes());
    node.disk.otherBytes = BigInt(Math.min(below(500), room));
    for (const name of ['listImages', 'imagesInUse', 'imageFsStats']) {
      if (random() < 0.05) node.faults.set(name, new Error('away'));
      else node.faults.delete(name);
    }
    await node.clock.advance(below(3 * minute));

    const now = node.clock.monotonic();
    const isBlind = node.faults.has('listImages') || node.faults.has('imagesInUse');
    const before = new Map(node.images);
    const usedBefore = imageBytes() + node.disk.otherBytes;
    if (!isBlind) {
      for (const id of seen.keys()) if (!before.has(id)) seen.delete(id);
      for (const id of before.keys()) {
        const known = seen.get(id) ?? { at: now };
        if (node.inUse.has(id)) known.used = now;
        seen.set(id, known);
      }
    }
    node.removals.length = 0;
    const isForced = random() < 0.2;
    const plan = await node.manager.plan().catch(() => undefined);
    const run = isForced ? node.manager.deleteUnusedImages() : node.manager.garbageCollect();
    const failed = await run.then(
      () => false,
      () => true,
    );

    if (isBlind) expect(node.removals).toEqual([]);
    for (const id of node.removals) {
      expect(node.inUse.has(id), `${id} is in use`).toBe(false);
      expect(before.get(id)?.pinned, `${id} is pinned`).toBe(false);
      const known = seen.get(id);
      const isTooOld = hasMaxAge && now > maxAge && (known?.used === undefined || now - known.used > maxAge);
      expect(isTooOld || now - (known?.at ?? now) >= minAge, `${id} is too young`).toBe(true);
    }
    // By last use; without a forced run, images above the maximum age come first.
    if (isForced) {
      const uses = node.removals.map((id) => seen.get(id)?.used ?? -1);
      expect(uses).toEqual([...uses].sort((a, b) => a - b));
    }
    if (!failed && !isForced) {
      expect(plan?.images.filter(({ action }) => action === 'remove').map(({ id }) => id)).toEqual(node.removals);
      const freed = node.removals.reduce((sum, id) => sum + (before.get(id)?.size ?? 0n), 0n);
      expect(usedBefore < 841n || usedBefore - freed <= 850n).toBe(true);
    }
    if (!isBlind) expect(new Set(node.manager.records().map(({ id }) => id))).toEqual(new Set(node.images.keys()));
  }
}

it('never removes used, pinned or young images, follows its plan, and frees enough or fails', async () => {
  for (let seed = 1; seed <= 25; seed++) {
    await simulate(seed).catch((error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
  }
});
