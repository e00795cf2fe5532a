import { describe, expect, it } from 'vitest';
import { normalizeImageName } from './image-name.js';
import { setUp } from './memory-runtime.fixture.js';

describe('ImageService of the in-memory runtime', () => {
  it('finds a pulled image by its name, digest and id', async () => {
    const { image } = setUp({ images: [] });
    const find = async (name: string) => (await image.imageStatus({ image: { image: name } })).image;
    expect(await find('nginx')).toBeUndefined();
    const { imageRef } = await image.pullImage({ image: { image: 'nginx' } });
    const found = await find('docker.io/library/nginx:latest');
    expect(found).toMatchObject({ id: imageRef, repoTags: ['docker.io/library/nginx:latest'], size: 1_048_576n, pinned: false });
    expect(await find(imageRef)).toEqual(found);
    expect(await find(found?.repoDigests[0] ?? '')).toEqual(found);
    expect(await find('nginx:2')).toBeUndefined();
    expect((await image.listImages({})).images).toEqual([found]);
    expect((await image.listImages({ filter: { image: { image: 'other' } } })).images).toEqual([]);
    expect((await image.imageFsInfo({})).imageFilesystems[0]?.usedBytes?.value).toBe(1_048_576n);

    await image.removeImage({ image: { image: imageRef } });
    await image.removeImage({ image: { image: imageRef } });
    expect(await find('nginx')).toBeUndefined();
    expect((await image.listImages({})).images).toEqual([]);
  });

  it('pulls images as scripted', async () => {
    const { clock, memory, image } = setUp();
    memory.scriptImage('big:1', { pullMs: 60_000, size: 2 ** 31, uid: 1_000, username: 'app', pinned: true });
    memory.scriptImage('broken:1', { pullError: 'unexpected EOF' });
    memory.scriptImage('private.example:5000/app:1', { pullUser: { username: 'me', password: 'secret' } });

    const before = clock.now();
    await clock.run(image.pullImage({ image: { image: 'big:1' } }));
    expect(clock.now() - before).toBe(60_000);
    expect((await image.imageStatus({ image: { image: 'big:1' } })).image).toMatchObject({
      size: 2_147_483_648n,
      uid: { value: 1_000n },
      username: 'app',
      pinned: true,
    });
    await expect(image.pullImage({ image: { image: 'broken:1' } })).rejects.toMatchObject({
      code: 'CRI_UNKNOWN',
      message: 'unexpected EOF',
    });
    const own = { image: { image: 'private.example:5000/app:1' } };
    await expect(image.pullImage(own)).rejects.toMatchObject({ message: /401 Unauthorized/ });
    await expect(image.pullImage({ ...own, auth: { username: 'me', password: 'wrong' } })).rejects.toThrow();
    await image.pullImage({ ...own, auth: { auth: Buffer.from('me:secret').toString('base64') } });
    await image.pullImage({ ...own, auth: { username: 'me', password: 'secret' } });
  });

  it("has every image with `images: 'any'`", async () => {
    const { image, run, start } = setUp({ images: 'any' });
    await start(await run('web'), { image: { image: 'whatever/it:is' } });
    expect((await image.imageStatus({ image: { image: 'nginx' } })).image?.repoTags).toEqual(['docker.io/library/nginx:latest']);
  });

  it.each([
    ['busybox', 'docker.io/library/busybox:latest'],
    ['busybox:1', 'docker.io/library/busybox:1'],
    ['me/app', 'docker.io/me/app:latest'],
    ['localhost/busybox:1', 'localhost/busybox:1'],
    ['registry:5000/app', 'registry:5000/app:latest'],
    ['quay.io/a/b:2', 'quay.io/a/b:2'],
    [`app:1@sha256:${'0'.repeat(64)}`, `docker.io/library/app@sha256:${'0'.repeat(64)}`],
    [`sha256:${'a'.repeat(64)}`, `sha256:${'a'.repeat(64)}`],
  ])('normalizes the image name %s', (name, full) => {
    expect(normalizeImageName(name)).toBe(full);
    expect(normalizeImageName(full)).toBe(full);
  });
});
