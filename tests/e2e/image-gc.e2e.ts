import { statfsSync } from 'node:fs';
import { fileSystemUsage } from '@nodeagent/api/files';
import type { RuntimeService } from '@nodeagent/cri-api';
import { createCriClient } from '@nodeagent/cri-client';
import { createImageGcManager, criImageFsStats, criImages } from '@nodeagent/image-gc';
import { beforeAll, expect, it } from 'vitest';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';

const mib = 1 << 20;
/** An image takes its size twice, as content and unpacked; one of them is several percent of the disk. */
const diskBytes = 256 * mib;
const ballastBytes = 12 * mib;
const imageOf = (name: string) => `localhost/${name}:1`;

/** containerd 1.6 does not report the image of sandboxes as pinned. */
describeOnRuntimes('image garbage collection', ['2'], (testRuntime) => {
  let runtime: PrivateRuntime;
  let cri: ReturnType<typeof createCriClient>;
  let disk: string;

  beforeAll(async () => {
    runtime = await testRuntime.start({ rootBytes: diskBytes });
    for (const name of ['used', 'old', 'recent']) await runtime.addImage(imageOf(name), ballastBytes);
    cri = createCriClient({ endpoint: runtime.endpoint });
    disk = (await cri.image.imageFsInfo({})).imageFilesystems[0]?.fsId?.mountpoint ?? '';
  });

  cleanUpAfterAll({ 'the CRI client': () => cri?.close(), 'the runtime': () => runtime?.cleanup() });

  /** In percent, rounded up as the kubelet does. */
  const usage = () => {
    const { bavail, blocks } = statfsSync(disk);
    return 100 - Math.floor((bavail * 100) / blocks);
  };
  const present = async () => {
    const { images } = await cri.image.listImages({});
    return images.flatMap(({ repoTags }) => repoTags.map((tag) => /^localhost\/(used|old|recent):1$/.exec(tag)?.[1])).filter(Boolean);
  };

  it('removes the image that was not used for longest, and stops when the disk is below the lower threshold', async () => {
    const high = usage();
    const events: string[] = [];
    const gc = createImageGcManager({
      nodeName: 'e2e',
      ...criImages(cri),
      imageFsStats: criImageFsStats({ image: cri.image, fileSystem: fileSystemUsage }),
      recorder: { event: (_object, type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
      settings: { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: high - 1, imageMinimumGCAgeMs: 0 },
    });
    const useImage = await sandbox(cri.runtime);
    for (const name of ['old', 'recent']) {
      const leave = await useImage(imageOf(name));
      await gc.detectImages();
      await leave();
    }
    for (const image of [imageOf('used'), testImage]) await useImage(image);

    const { images } = await gc.plan();
    const planned = images.filter(({ action }) => action === 'remove');
    expect(images.map(({ reason }) => reason).sort()).toEqual(['FreesSpace', 'InUse', 'InUse', 'NotNeeded', 'Pinned']);
    const removed = await gc.garbageCollect();
    expect(removed).toEqual(planned.map(({ id, size }) => ({ id, size, reason: 'space' })));
    expect((await present()).sort()).toEqual(['recent', 'used']);
    expect(usage()).toBeLessThan(high);
    expect(await gc.garbageCollect()).toEqual([]);
    expect(events).toEqual([]);
  });
});

/** A pod whose containers are made but not started: that they are there is what counts. */
async function sandbox(runtime: RuntimeService): Promise<(image: string) => Promise<() => Promise<unknown>>> {
  const sandboxConfig = { metadata: { name: 'gc', namespace: 'default', uid: 'gc', attempt: 0 }, linux: {} };
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
  let attempt = 0;
  return async (image) => {
    const config = { metadata: { name: 'main', attempt: attempt++ }, image: { image }, command: ['true'], linux: {} };
    const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
    return () => runtime.removeContainer({ containerId });
  };
}
