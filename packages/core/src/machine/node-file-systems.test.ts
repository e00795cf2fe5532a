import type { ImageFsInfoResponse } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { createNodeFileSystems } from './node-file-systems.js';

const devices = new Map([
  ['/var/lib/kubelet', 1],
  ['/var/lib/containerd', 1],
  ['/images', 2],
  ['/layers', 3],
]);
const at = (mountpoint: string) => [{ timestamp: 0n, fsId: { mountpoint } }];

function fileSystems(info: Partial<ImageFsInfoResponse>) {
  const imageFsInfo = async () => ({ imageFilesystems: [], containerFilesystems: [], ...info });
  return createNodeFileSystems({ imageFsInfo }, '/var/lib/kubelet', async (path) => devices.get(path));
}

describe('the file systems of a node', () => {
  const { signal } = new AbortController();

  it.each([
    [at('/var/lib/containerd'), [], false, false],
    [at('/images'), [], true, false],
    [at('/images'), at('/images'), true, false],
    [at('/images'), at('/layers'), true, true],
  ])('are identified by their devices', async (imageFilesystems, containerFilesystems, dedicated, split) => {
    const node = fileSystems({ imageFilesystems, containerFilesystems });
    expect(await node.hasDedicatedImageFs(signal)).toBe(dedicated);
    expect(await node.hasDedicatedContainerFs(signal)).toBe(split);
  });

  it('are unknown while the runtime does not report its image file system', async () => {
    await expect(fileSystems({}).hasDedicatedImageFs(signal)).rejects.toMatchObject({ code: 'UnknownImageFs', retryable: true });
  });
});
