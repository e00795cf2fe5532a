import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageMediaTypes } from '../image/manifest.js';
import { descriptorOf, startTestRegistry, type TestRegistry, testContent, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';
import type { ImageStoreOptions, OciImageStore } from './oci-image-store.js';

let root: string;
let registry: TestRegistry;
let stores: OciImageStore[];
const shared = randomBytes(100_000);
const first = testImage([shared, Buffer.from('first')]);
const second = testImage([shared, Buffer.from('second')]);
const machine = { os: 'linux', architecture: 'amd64' };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'image-store-'));
  registry = await startTestRegistry();
  registry.add('team/first:1', first);
  registry.add('team/second:1', second);
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await registry.stop();
  await rm(root, { recursive: true, force: true });
});

async function open(options: Partial<ImageStoreOptions> = {}): Promise<OciImageStore> {
  const store = await openImageStore({ root, machine, ...options });
  stores.push(store);
  return store;
}
async function reopen(store: OciImageStore): Promise<OciImageStore> {
  await store.close();
  return open();
}
const name = (path: string) => `${registry.host}/${path}`;
const filesOf = (folder = root): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesOf(join(folder, entry.name)) : entry.isFile() ? [join(folder, entry.name)] : [],
  );
const digests = () =>
  existsSync(join(root, 'blobs/sha256'))
    ? readdirSync(join(root, 'blobs/sha256'))
        .map((hex) => `sha256:${hex}`)
        .sort()
    : [];
const contentOf = (...images: (typeof first)[]) =>
  [...new Set(images.flatMap(({ manifest, config, layers }) => [manifest, config, ...layers].map(({ digest }) => digest)))].sort();

describe('an image store', () => {
  it('lists what it pulled, by tag and digest, also after it was opened again', async () => {
    let store = await open();
    const pulled = await store.pull(name('team/first:1'));
    expect(pulled).toMatchObject({
      id: first.config.digest,
      repoTags: [name('team/first:1')],
      repoDigests: [name(`team/first@${first.manifest.digest}`)],
      target: descriptorOf(first.manifest),
      platform: machine,
      layers: first.layers.map(descriptorOf),
      isPinned: false,
    });
    expect(pulled.size).toBe([first.manifest, first.config, ...first.layers].reduce((sum, { size }) => sum + size, 0));
    store = await reopen(store);
    expect(store.list()).toEqual([pulled]);
    for (const known of [
      name('team/first:1'),
      name(`team/first@${first.manifest.digest}`),
      pulled.id,
      pulled.id.slice(7),
      first.manifest.digest,
    ]) {
      expect(store.get(known)).toEqual(pulled);
    }
    expect([store.get(name('team/first')), store.get('no image')]).toEqual([undefined, undefined]);
    const layout = JSON.parse(readFileSync(join(root, 'index.json'), 'utf8'));
    expect(layout.manifests[1].annotations).toEqual({
      'io.containerd.image.name': name('team/first:1'),
      'org.opencontainers.image.ref.name': '1',
    });
  });

  it('shares layers between images, and removes what no image needs', async () => {
    const store = await open();
    await store.pull(name('team/first:1'));
    const { usedBytes } = await store.usage();
    await store.pull(name('team/second:1'));
    expect((await store.usage()).usedBytes - usedBytes).toBeLessThan(2000);
    expect(digests()).toEqual(contentOf(first, second));
    await store.remove(name('team/first:1'));
    expect(digests()).toEqual(contentOf(second));
    await store.remove(second.config.digest);
    expect([digests(), store.list(), await store.usage()]).toEqual([[], [], { usedBytes: 0, usedInodes: 0 }]);
    await store.remove('no/such:image');
  });

  it('keeps an image until its last tag is removed, and one whose tag moved by its digest', async () => {
    const store = await open();
    await store.pull(name('team/first:1'));
    await store.tag(first.config.digest, 'copy:2');
    await store.remove(name('team/first:1'));
    expect(store.get('copy:2')?.repoTags).toEqual(['docker.io/library/copy:2']);
    await store.tag('copy:2', name('team/first:1'));
    registry.tags.set('team/first:1', second.manifest);
    await store.pull(name('team/first:1'));
    expect(store.get(name('team/first:1'))?.id).toBe(second.config.digest);
    expect(store.get(first.config.digest)?.repoTags).toEqual(['docker.io/library/copy:2']);
    await expect(store.tag('missing', 'x')).rejects.toMatchObject({ code: 'UnknownImage' });
  });

  it('names the image of another platform apart from its index', async () => {
    const entry = ({ manifest }: typeof first, architecture: string) => ({
      ...descriptorOf(manifest),
      platform: { os: 'linux', architecture },
    });
    const index = testContent(imageMediaTypes.ociIndex, { schemaVersion: 2, manifests: [entry(first, 'amd64'), entry(second, 'arm64')] });
    registry.add('team/both:1', first, index);
    let store = await open();
    expect(await store.pull(name('team/both:1'))).toMatchObject({ id: first.config.digest, target: descriptorOf(index) });
    const foreign = await store.pull(name('team/both:1'), { platform: { os: 'linux', architecture: 'arm64' } });
    expect(foreign).toMatchObject({ id: second.config.digest, target: descriptorOf(second.manifest), repoTags: [name('team/both:1')] });
    store = await reopen(store);
    expect(store.get(name('team/both:1'))).toEqual(foreign);
    const platform = { os: 'linux', architecture: 's390x' };
    await expect(store.pull(name('team/both:1'), { platform })).rejects.toMatchObject({ code: 'PlatformNotFound' });
  });

  it('remembers what is pinned', async () => {
    let store = await open();
    await store.pull(name('team/first:1'));
    await store.pin(name('team/first:1'), true);
    await store.pull(name('team/first:1'));
    store = await reopen(store);
    expect(store.list().map(({ isPinned }) => isPinned)).toEqual([true]);
    await store.pin(first.config.digest, false);
    expect(store.list().map(({ isPinned }) => isPinned)).toEqual([false]);
  });

  it('keeps the index of an image for several platforms', async () => {
    const index = testContent(imageMediaTypes.ociIndex, {
      schemaVersion: 2,
      manifests: [{ ...descriptorOf(first.manifest), platform: machine }],
    });
    registry.add('team/multi:1', first, index);
    let store = await open();
    await store.pull(name('team/multi:1'));
    store = await reopen(store);
    expect(await store.collectGarbage()).toBe(0);
    expect(store.get(name('team/multi:1'))?.repoDigests).toEqual([name(`team/multi@${index.digest}`)]);
  });

  it('serves pulls at once, and downloads what they share once', async () => {
    const store = await open();
    await Promise.all(['team/first:1', 'team/second:1', 'team/first:1'].map((path) => store.pull(name(path))));
    const layerRequests = registry.requests.filter((request) => request.includes(first.layers[0]?.digest ?? ''));
    expect([store.list().length, layerRequests.length]).toEqual([2, 1]);
  });

  it('keeps the content of running pulls when it collects garbage, and drops that of failed ones', async () => {
    const store = await open();
    const last = first.layers[1]?.digest ?? '';
    registry.misbehave = ({ url }, response) => {
      if (!url?.includes(last)) return false;
      response.writeHead(404).end();
      return true;
    };
    await expect(store.pull(name('team/first:1'))).rejects.toMatchObject({ code: 'ImageNotFound' });
    expect(store.list()).toEqual([]);
    expect(await store.collectGarbage()).toBeGreaterThan(0);
    expect(digests()).toEqual([]);
    let freed: Promise<number> | undefined;
    registry.misbehave = ({ url }) => {
      if (url?.includes(last)) freed ??= store.collectGarbage();
      return false;
    };
    await store.pull(name('team/first:1'));
    expect([await freed, digests()]).toEqual([0, contentOf(first)]);
  });

  it('has no listeners of pulls that have ended', async () => {
    const store = await open();
    const warnings: Error[] = [];
    const collect = (warning: Error) => void warnings.push(warning);
    process.on('warning', collect);
    for (let pull = 0; pull < 12; pull++) await store.pull(name('team/first:1'));
    await new Promise(setImmediate);
    process.off('warning', collect);
    expect(warnings).toEqual([]);
  });

  it('is for one process, and ends its pulls when it closes', async () => {
    const store = await open();
    await expect(open()).rejects.toMatchObject({ code: 'ImageStoreLocked', message: expect.stringContaining(`process ${process.pid}`) });
    registry.misbehave = () => true;
    const pull = store.pull(name('team/first:1'));
    const ended = expect(pull).rejects.toThrow('the image store is closed');
    setTimeout(() => void store.close(), 30);
    await ended;
    await (await open()).close();
  });

  it('reads mirrors from hosts.toml for each pull', async () => {
    const hosts = join(root, 'certs.d');
    const store = await open({ registries: { hostsDirectory: hosts } });
    mkdirSync(join(hosts, 'example.com'), { recursive: true });
    writeFileSync(join(hosts, 'example.com', 'hosts.toml'), `[host."http://${registry.host}"]`);
    expect((await store.pull('example.com/team/first:1')).repoTags).toEqual(['example.com/team/first:1']);
    expect(registry.requests[0]).toContain('?ns=example.com');
    writeFileSync(join(hosts, 'example.com', 'hosts.toml'), '[host');
    await expect(store.pull('example.com/team/first:1')).rejects.toMatchObject({ code: 'InvalidRegistryConfig' });
  });
});

describe('a damaged store', () => {
  it('is whole after a second pull, whichever file was truncated', async () => {
    let store = await open();
    await store.pull(name('team/first:1'));
    await store.pull(name('team/second:1'));
    await store.close();
    for (const file of filesOf()) {
      for (const length of [0, Math.floor(statSync(file).size / 2)]) {
        truncateSync(file, length);
        store = await open();
        await store.pull(name('team/first:1'));
        await store.pull(name('team/second:1'));
        expect(
          store.list().map(({ repoTags }) => repoTags),
          file,
        ).toEqual([[name('team/first:1')], [name('team/second:1')]]);
        await store.collectGarbage();
        expect(digests(), file).toEqual(contentOf(first, second));
        await store.close();
      }
    }
  });

  it('finds the images of a lost index, without their names', async () => {
    let store = await open();
    await store.pull(name('team/first:1'));
    await store.pull(name('team/second:1'));
    await store.close();
    writeFileSync(join(root, 'index.json'), '{"manif');
    store = await open();
    expect(
      store
        .list()
        .map(({ id, repoTags, repoDigests }) => [id, repoTags, repoDigests])
        .sort(),
    ).toEqual([first, second].map(({ config }) => [config.digest, [], []]).sort());
    registry.requests.length = 0;
    await store.pull(name('team/first:1'));
    expect(registry.requests).toHaveLength(1);
    expect(store.get(first.config.digest)?.repoTags).toEqual([name('team/first:1')]);
    await store.remove(second.config.digest);
    expect(digests()).toEqual(contentOf(first));
  });
});
