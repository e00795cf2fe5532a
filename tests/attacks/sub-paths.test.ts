import { join } from 'node:path';
import type { Mounter } from '@nodeagent/api';
import { volumePaths } from '@nodeagent/api/helpers';
import { createFakeMounter, createNodeMounter, createSubPaths, readVolumeFile } from '@nodeagent/mount-utils';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createScene, type Scene } from './scene.js';
import { startSwapper } from './swapper.js';

const isRoot = process.getuid?.() === 0;

/**
 * Works until the folder was exchanged as often as the goal requires, and until the work succeeded and failed `rounds` times each: a folder of the
 * volume was used, and the link was refused. On a busy machine that takes longer.
 */
async function duringSwaps({ volume, host }: Scene, goal: number, rounds: number, work: (round: number) => Promise<unknown>) {
  const swapper = await startSwapper(join(volume, 'folder'), host, goal);
  const outcome = { succeeded: 0, failed: 0 };
  for (let round = 0; !swapper.hasReached || Math.min(outcome.succeeded, outcome.failed) < rounds; round++) {
    await work(round).then(
      () => outcome.succeeded++,
      () => outcome.failed++,
    );
  }
  expect(await swapper.stop()).toBeGreaterThanOrEqual(goal);
}

const requestOf = (volumePath: string, subPath: string) => ({
  pod: { metadata: { name: 'p', uid: 'u' }, spec: { containers: [] } },
  container: { name: 'c' },
  mount: { name: 'v', mountPath: '/m' },
  mountIndex: 0,
  volumePath,
  subPath,
});

describe('a folder of a volume that a container exchanges for a link to a folder of the host (CVE-2017-1002101, CVE-2021-25741)', () => {
  it('100,000 times: the agent binds, creates and reads nothing outside of the volume', async () => {
    const scene = createScene();
    const before = scene.hostState();
    const fake = createFakeMounter();
    let outside = 0;
    /** Counts what the kernel would bind now. */
    const mounter: Mounter = {
      ...fake,
      async mount(request) {
        if (scene.isOfHost(request.source)) outside++;
        fake.calls.length = 0;
        await fake.mount(request);
      },
    };
    const subPaths = createSubPaths({ mounter, paths: volumePaths(scene.root) });
    const texts = new Set<string | undefined>();
    await duringSwaps(scene, 100_000, 21, async (round) => {
      const subPath = ['folder/inner', 'folder/inner/file-0', `folder/made-${round % 30}/deep`][round % 3] as string;
      await subPaths.prepare(requestOf(scene.volume, subPath));
      await subPaths.clean('u', 'v');
      texts.add(await readVolumeFile(scene.volume, 'folder/inner/file-0'));
    });
    expect(outside).toBe(0);
    expect(texts).not.toContain('secret');
    expect(scene.hostState()).toEqual(before);
  });

  it.skipIf(!isRoot)('the agent mounts nothing outside of the volume (needs root: mounts)', async () => {
    const scene = createScene();
    const before = scene.hostState();
    const subPaths = createSubPaths({ mounter: createNodeMounter(), paths: volumePaths(scene.root) });
    onTestFinished(() => subPaths.clean('u', 'v'));
    let outside = 0;
    await duringSwaps(scene, 20_000, 1, async (round) => {
      const target = await subPaths.prepare(requestOf(scene.volume, round % 2 === 0 ? 'folder/inner' : 'folder/made/deep'));
      if (scene.isOfHost(target)) outside++;
      await subPaths.clean('u', 'v');
    });
    expect(outside).toBe(0);
    expect(scene.hostState()).toEqual(before);
  });
});
