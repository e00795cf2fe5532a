import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { fileSystemUsage } from '@nodeagent/api/files';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { criImageFsStats, criImages } from './cri-images.js';

const { signal } = new AbortController();
const container = (id: string, imageId: string) => ({ id, imageId, imageRef: '' }) as never;
const mounts = (image: string) => ({ status: { mounts: [{ image: { image } }, { hostPath: '/etc/hosts' }] } as never, info: {} });

it('counts root file systems and image volumes as use, and requests the status of each container once', async () => {
  let containers = [container('c1', 'web'), container('c2', 'db')];
  const asked: string[] = [];
  const ports = criImages({
    image: {} as never,
    runtime: {
      listContainers: async () => ({ containers }),
      async containerStatus({ containerId = '' }) {
        asked.push(containerId);
        if (containerId === 'c2') throw new NodeAgentError('CRI_NOT_FOUND', 'removed since it was listed');
        return mounts(`volume of ${containerId}`);
      },
    },
  });
  expect([...(await ports.imagesInUse(signal))]).toEqual(['web', 'db', 'volume of c1']);
  containers = [container('c1', 'web'), container('c3', 'web')];
  expect([...(await ports.imagesInUse(signal))]).toEqual(['web', 'web', 'volume of c1', 'volume of c3']);
  expect(asked).toEqual(['c1', 'c2', 'c3']);
});

it('fails if the status of a container is unavailable', async () => {
  const ports = criImages({
    image: {} as never,
    runtime: {
      listContainers: async () => ({ containers: [container('c1', 'web')] }),
      containerStatus: () => Promise.reject(new Error('runtime is busy')),
    },
  });
  await expect(ports.imagesInUse(signal)).rejects.toThrow('runtime is busy');
});

it('lists and removes images through the runtime, and measures the file system at its mount point', async () => {
  const { image, runtime } = createMemoryRuntime({ clock: createVirtualClock(), images: ['nginx:1', 'redis:7'] });
  const folder = await mkdtemp(join(tmpdir(), 'images-'));
  let mountpoint: string | undefined = folder;
  const imageFsInfo: typeof image.imageFsInfo = async () => ({
    imageFilesystems: [{ timestamp: 1n, ...(mountpoint !== undefined && { fsId: { mountpoint } }) }],
    containerFilesystems: [],
  });
  const ports = criImages({ runtime, image });
  const imageFsStats = criImageFsStats({ image: { imageFsInfo }, fileSystem: fileSystemUsage });
  const [first] = await ports.images.listImages(signal);
  expect(first).toMatchObject({ id: expect.any(String), size: expect.any(BigInt), pinned: false });
  await ports.images.removeImage(first?.id ?? '', signal);
  expect(await ports.images.listImages(signal)).toHaveLength(1);

  const { capacityBytes = 0n, availableBytes = 0n } = await imageFsStats(signal);
  expect(capacityBytes).toBeGreaterThan(0n);
  expect(availableBytes).toBeLessThanOrEqual(capacityBytes);
  mountpoint = join(folder, 'missing');
  await expect(imageFsStats(signal)).rejects.toMatchObject({ code: 'ENOENT' });
  mountpoint = undefined;
  await expect(imageFsStats(signal)).rejects.toMatchObject({ code: 'ImageFsUnknown' });
});
