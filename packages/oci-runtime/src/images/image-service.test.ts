import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import type { FilesystemUsage, ImageService } from '@nodeagent/cri-api';
import { openImageStore } from '@nodeagent/image-store';
import { createHostImageService, hostImageId } from '@nodeagent/process-runtime/cri';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestRegistry, type TestRegistry, testImage } from '../test-image.js';
import { createImageService } from './image-service.js';
import type { RuntimeImageStore } from './image-store.js';

const isRoot = process.getuid?.() === 0;
const now = () => 5n;
const layerOf = (bytes: bigint, inodes: bigint): FilesystemUsage => ({
  timestamp: 1n,
  fsId: { mountpoint: '/other' },
  usedBytes: { value: bytes },
  inodesUsed: { value: inodes },
});
const layers = [layerOf(7n, 1n), undefined, layerOf(3n, 2n)];

describe.runIf(isRoot)('the image service', () => {
  let folder: string;
  let registry: TestRegistry;
  let store: RuntimeImageStore;
  let service: ImageService;
  const app = () => `${registry.host}/app:1`;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'image-service-'));
    registry = await startTestRegistry('robot:secret');
    registry.add('app', testImage({ programs: [], files: { file: 'text' }, config: { User: '1000:5', Env: ['A=b'] } }));
    store = await openImageStore({ root: join(folder, 'images') });
    const host = createHostImageService({ clock: systemClock, root: folder, uid: 0, now });
    service = createImageService({ clock: systemClock, host, now, store: () => store, writableLayers: async () => layers });
  });
  afterEach(async () => {
    await store.close();
    await registry.close();
    rmSync(folder, { recursive: true });
  });

  const pull = (password = 'secret') => service.pullImage({ image: { image: app() }, auth: { username: 'robot', password } });

  it('pulls and unpacks with credentials, and reports the image by name, by ID, and by the beginning of the ID', async () => {
    await expect(pull('wrong')).rejects.toMatchObject({
      code: 'CRI_PERMISSION_DENIED',
      message: expect.stringContaining(`failed to pull image "${app()}": `),
    });
    const { imageRef } = await pull();
    const image = { id: imageRef, repoTags: [app()], uid: { value: 1000n }, username: '', pinned: false };
    for (const name of [app(), imageRef, imageRef.slice('sha256:'.length), imageRef.slice(0, 'sha256:'.length + 12)])
      expect((await service.imageStatus({ image: { image: name } })).image, name).toMatchObject(image);
    expect(await service.listImages({})).toMatchObject({ images: [{ id: hostImageId, pinned: true }, image] });
    const filter = { image: { image: app() } };
    expect((await service.listImages({ filter })).images.map(({ id }) => id)).toEqual([imageRef]);
    expect((await service.imageStatus({ image: { image: 'other:1' } })).image).toBeUndefined();
  });

  it('adds the configuration to a verbose status', async () => {
    const { imageRef } = await pull();
    const { info } = await service.imageStatus({ image: { image: imageRef }, verbose: true });
    expect(JSON.parse(info.info ?? '')).toMatchObject({ imageSpec: { config: { Env: ['A=b'] } } });
  });

  it('counts what images take, and removes an image with all its names and layers', async () => {
    const { imageRef } = await pull();
    const { imageFilesystems, containerFilesystems } = await service.imageFsInfo({});
    const usage = { usedBytes: { value: 10n }, inodesUsed: { value: 3n } };
    expect(containerFilesystems).toEqual([{ timestamp: 5n, fsId: { mountpoint: store.root }, ...usage }]);
    expect(imageFilesystems[0]).toMatchObject({ timestamp: 5n, fsId: { mountpoint: store.root } });
    expect(imageFilesystems[0]?.usedBytes?.value).toBeGreaterThan(0n);
    registry.add('second', testImage({ programs: [], files: { file: 'text' }, config: { User: '1000:5', Env: ['A=b'] } }));
    const auth = { username: 'robot', password: 'secret' };
    const again = await service.pullImage({ image: { image: `${registry.host}/second:1` }, auth });
    expect(again.imageRef).toBe(imageRef);
    await service.removeImage({ image: { image: app() } });
    expect((await service.listImages({})).images.map(({ id }) => id)).toEqual([hostImageId]);
    expect(await store.usage()).toEqual({ usedBytes: 0, usedInodes: 0 });
    await service.removeImage({ image: { image: app() } });
  });

  it('reports an image that cannot run, without a user', async () => {
    registry.add('app', testImage({ programs: [], config: { User: 5 } }));
    await pull();
    expect((await service.listImages({})).images).toMatchObject([{ id: hostImageId }, { repoTags: [app()], username: '' }]);
  });

  it('fails in the words that the kubelet knows if the registry is unavailable, and as not found if the image is missing', async () => {
    await expect(
      service.pullImage({ image: { image: `${registry.host}/none:1` }, auth: { username: 'robot', password: 'secret' } }),
    ).rejects.toMatchObject({
      code: 'CRI_NOT_FOUND',
    });
    await expect(service.pullImage({ image: { image: 'Bad Name' } })).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    await expect(service.pullImage({ image: {} })).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    const controller = new AbortController();
    const pulling = service.pullImage({ image: { image: app() } }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(pulling).rejects.toThrow('enough');
  });

  it('keeps the image host', async () => {
    const image = { image: 'host' };
    expect(await service.pullImage({ image })).toEqual({ imageRef: hostImageId });
    await expect(service.removeImage({ image })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    expect((await service.imageStatus({ image })).image?.id).toBe(hostImageId);
  });
});
