import { createReadStream, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OciImageStore, openImageStore } from '@nodeagent/image-store';
import { seededRandom } from '@nodeagent/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { type PrivateContainerd, startContainerd } from '../support/containerd/containerd.js';
import { required } from '../support/containerd/describe-on-containerd.js';
import { provideContainerd } from '../support/containerd/provide-containerd.js';
import { run } from '../support/debian-package.js';
import { provideImageTools } from '../support/images/docker-registry.js';
import { differences, everyKind } from '../support/images/every-kind.js';
import { createImageLayout } from '../support/images/image-layout.js';
import { randomImage } from '../support/images/random-image.js';
import { type TarEntry, tarLayer } from '../support/images/tar-layer.js';
import { listTree, type TreeListing, treeDifferences } from '../support/images/tree-listing.js';
import { removeFolder } from '../support/remove-folder.js';

const isRoot = process.getuid?.() === 0;
const found = isRoot && provideImageTools(required) ? provideContainerd(false).found : [];
if (found.length === 0)
  console.log("skipped: unpacked images beside containerd, because they need root, containerd and Debian's package attr");

const randomImages = 30;
const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000);

describe.skipIf(found.length === 0 && !required)('an unpacked image', () => {
  const work = mkdtempSync(join(tmpdir(), 'nodeagent-unpacked-'));
  const since = BigInt(Date.now()) * 1_000_000n;
  const containerds: PrivateContainerd[] = [];
  let store: OciImageStore;
  let mounts = 0;

  beforeAll(async () => {
    store = await openImageStore({ root: join(work, 'store'), machine: { os: 'linux', architecture: 'amd64' } });
    for (const binaries of found) containerds.push(await startContainerd(binaries));
  });
  cleanUpAfterAll({
    containerd: () => Promise.all(containerds.map((containerd) => containerd.cleanup())),
    store: () => store?.close(),
    folder: () => removeFolder(work),
  });

  /** The path of an archive of images with these layers, by name. */
  function archiveOf(images: Readonly<Record<string, readonly (readonly TarEntry[])[]>>): string {
    const layout = createImageLayout(mkdtempSync(join(work, 'layout-')));
    for (const [name, layers] of Object.entries(images))
      layout.add(name, { layers: layers.map((entries) => ({ tar: tarLayer(entries) })) });
    run('tar', ['--create', '--file', `${layout.folder}.tar`, '-C', layout.folder, '.']);
    return `${layout.folder}.tar`;
  }

  async function unpackedHere(name: string): Promise<TreeListing> {
    const layers = await store.unpack(`localhost/${name}`);
    const [target, empty] = ['mount-', 'empty-'].map((kind) => join(work, `${kind}${mounts++}`));
    for (const folder of [target, empty]) mkdirSync(folder ?? '');
    run('mount', ['-t', 'overlay', 'overlay', '-o', `ro,lowerdir=${[...layers, empty].join(':')}`, target ?? '']);
    try {
      return listTree(target ?? '', since);
    } finally {
      run('umount', [target ?? '']);
    }
  }

  function unpackedBy({ ctr }: PrivateContainerd, name: string): TreeListing {
    const target = join(work, `mount-${mounts++}`);
    mkdirSync(target);
    ctr('image', 'mount', `localhost/${name}`, target);
    try {
      return listTree(target, since);
    } finally {
      ctr('image', 'unmount', '--rm', target);
    }
  }

  function expectFiles(tree: TreeListing, files: Readonly<Record<string, object>>): void {
    for (const [path, file] of Object.entries(files)) expect(tree.get(path), path).toMatchObject(file);
  }

  it('with every kind of entry is what containerd unpacks, field by field', async () => {
    const archive = archiveOf({ every: everyKind });
    await store.import(createReadStream(archive));
    const here = await unpackedHere('every');
    expect(here.size).toBeGreaterThan(100);
    for (const containerd of containerds) {
      containerd.ctr('image', 'import', archive);
      expect(treeDifferences(unpackedBy(containerd, 'every'), here), containerd.name).toEqual([]);
    }
  });

  it.each(differences)('with $what differs from that of containerd: $reason', async ({ layers, ours, theirs }) => {
    const name = `different-${mounts}`;
    const archive = archiveOf({ [name]: layers });
    await store.import(createReadStream(archive));
    if (ours === 'refused') await expect(store.unpack(`localhost/${name}`)).rejects.toMatchObject({ code: 'UnsafeLayer' });
    else expectFiles(await unpackedHere(name), ours);
    for (const containerd of containerds) {
      if (theirs === 'refused') expect(() => containerd.ctr('image', 'import', archive)).toThrow('failed to extract layer');
      else {
        containerd.ctr('image', 'import', archive);
        expectFiles(unpackedBy(containerd, name), theirs);
      }
    }
  });

  it(`with random changes between layers is the tree that these make, here and in containerd (seed ${seed}: SIMULATION_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    const images = new Map(Array.from({ length: randomImages }, (_, number) => [`random-${number}`, randomImage(random)]));
    const archive = archiveOf(Object.fromEntries([...images].map(([name, { layers }]) => [name, layers])));
    await store.import(createReadStream(archive));
    for (const containerd of containerds) containerd.ctr('image', 'import', archive);
    for (const [name, { tree }] of images) {
      const here = await unpackedHere(name);
      const root = [...here].filter(([path]) => path === '.');
      expect(treeDifferences(new Map([...root, ...tree]), here), name).toEqual([]);
      for (const containerd of containerds)
        expect(treeDifferences(unpackedBy(containerd, name), here), `${name} in ${containerd.name}`).toEqual([]);
    }
  });
});
