import type { Pod } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryFiles, type MemoryFiles } from '../memory-files.js';
import { createIdRanges } from './id-ranges.js';
import { createUserNamespaces, type UserNamespacesOptions } from './user-namespaces.js';

const range = 65_536;
const pod = (uid: string): Pod => ({ metadata: { uid } });

function setUp(files: MemoryFiles = createMemoryFiles(), more: Partial<UserNamespacesOptions> = {}) {
  const namespaces = createUserNamespaces({ files, podDir: (uid) => `/pods/${uid}`, listPods: () => files.list('/pods'), ...more });
  const first = async (uid: string) => (await namespaces.mappings(pod(uid))).uids?.[0]?.hostId;
  return { files, namespaces, first };
}

describe('createUserNamespaces', () => {
  it('allocates a separate id range to each pod, and keeps it after a restart', async () => {
    const { files, namespaces, first } = setUp();
    const ids = [{ hostId: range, containerId: 0, length: range }];
    expect(await namespaces.mappings(pod('a'))).toEqual({ mode: 'POD', uids: ids, gids: ids });
    expect(await Promise.all([first('b'), first('b'), first('c'), first('a')])).toEqual([2 * range, 2 * range, 3 * range, range]);
    expect(JSON.parse(files.entries.get('/pods/a/userns') ?? '')).toEqual({ uidMappings: ids, gidMappings: ids });

    const again = setUp(files);
    expect([await again.first('d'), await again.first('c'), await again.first('a')]).toEqual([4 * range, 3 * range, range]);
  });

  it('releases the ids and files of removed pods', async () => {
    const { files, namespaces, first } = setUp();
    for (const uid of ['a', 'b', 'c']) await first(uid);
    await namespaces.retain(new Set(['a', 'c']));
    expect([...files.entries.keys()]).toEqual(['/pods/a/userns', '/pods/c/userns']);
    expect(await first('d')).toBe(2 * range);
    const again = setUp(files);
    await again.first('d');
    await again.namespaces.retain(new Set());
    expect([...files.entries.keys()]).toEqual([]);
  });

  it('rejects a pod if no ids are left', async () => {
    const { namespaces, first } = setUp(createMemoryFiles(), { ids: { first: 10 * range, count: 2 * range + 5 } });
    expect([await first('a'), await first('b')]).toEqual([10 * range, 11 * range]);
    await expect(first('c')).rejects.toMatchObject({ code: 'UserNamespaceError', retryable: true });
    await namespaces.retain(new Set(['b']));
    expect(await first('c')).toBe(10 * range);
  });

  it('never allocates the same ids to two pods, also concurrently with releases', async () => {
    const { files, namespaces, first } = setUp();
    await Promise.all([first('a'), first('b')]);
    const freed = namespaces.retain(new Set(['b']));
    const [again, other] = await Promise.all([first('a'), first('c'), freed]);
    expect(new Set([again, other, await first('b')]).size).toBe(3);
    for (const uid of ['a', 'b', 'c'])
      expect(JSON.parse(files.entries.get(`/pods/${uid}/userns`) ?? '').uidMappings[0].hostId).toBe(await first(uid));

    const full = setUp({ ...files, writeFile: () => Promise.reject(new Error('disk full')) });
    const failing = full.first('x');
    const retained = full.namespaces.retain(new Set(['a', 'b', 'c']));
    await expect(failing).rejects.toThrow('disk full');
    await retained;
  });

  it('keeps the ids of a pod that is created again before its file was removed', async () => {
    const files = createMemoryFiles();
    const { namespaces, first } = setUp({ ...files, remove: () => Promise.reject(new Error('busy')) });
    await first('a');
    await expect(namespaces.retain(new Set())).rejects.toThrow('busy');
    expect(await first('a')).toBe(range);
    await namespaces.retain(new Set(['a']));
    expect(await first('a')).toBe(range);
  });

  it('retries failed writes and removals', async () => {
    const files = createMemoryFiles();
    const full = () => Promise.reject(new Error('disk full'));
    const { first } = setUp({ ...files, writeFile: full });
    await expect(first('a')).rejects.toThrow('disk full');
    await expect(first('a')).rejects.toThrow('disk full');

    let removable = false;
    const other = setUp({ ...files, remove: (path) => (removable ? files.remove(path) : full()) });
    expect(await other.first('a')).toBe(range);
    await expect(other.namespaces.retain(new Set())).rejects.toThrow('disk full');
    expect(await other.first('b')).toBe(2 * range);
    removable = true;
    await other.namespaces.retain(new Set(['b']));
    expect(await other.first('c')).toBe(range);
  });

  const ids = (hostId: unknown, more = {}) => [{ hostId, containerId: 0, length: range, ...more }];
  it.each([
    ['nonsense', 'cannot read the user namespace'],
    ['[]', 'cannot read the user namespace'],
    [JSON.stringify({ uidMappings: ids(range) }), 'cannot read the user namespace'],
    [JSON.stringify({ uidMappings: ids(range), gidMappings: ids(2 * range) }), 'cannot read the user namespace'],
    [JSON.stringify({ uidMappings: ids('x'), gidMappings: ids('x') }), 'cannot read the user namespace'],
    [JSON.stringify({ uidMappings: ids(range, { length: 1 }), gidMappings: ids(range, { length: 1 }) }), 'cannot read the user namespace'],
    [JSON.stringify({ uidMappings: [...ids(range), ...ids(range)], gidMappings: ids(range) }), 'cannot read the user namespace'],
    [JSON.stringify({ uidMappings: ids(0), gidMappings: ids(0) }), 'ids that are out of range or in use'],
    [JSON.stringify({ uidMappings: ids(range + 1), gidMappings: ids(range + 1) }), 'ids that are out of range or in use'],
    [JSON.stringify({ uidMappings: ids(2 ** 32), gidMappings: ids(2 ** 32) }), 'ids that are out of range or in use'],
  ])('allocates no ids while those in use are unknown: %s', async (content, message) => {
    const { files, first } = setUp();
    await files.writeFile('/pods/x/userns', content, 0o644);
    await expect(first('a')).rejects.toMatchObject({ code: 'UserNamespaceError', message: expect.stringContaining(message) });
    await files.remove('/pods/x');
    expect(await first('a')).toBe(range);
  });

  it('rejects two pods with the same ids on disk', async () => {
    const { files, first } = setUp();
    for (const uid of ['x', 'y']) {
      await files.writeFile(`/pods/${uid}/userns`, JSON.stringify({ uidMappings: ids(range), gidMappings: ids(range) }), 0o644);
    }
    await expect(first('a')).rejects.toThrow('ids that are out of range or in use');
  });
});

describe('createIdRanges', () => {
  it.each([
    [1000, undefined, 'idsPerPod'],
    [0, undefined, 'idsPerPod'],
    [range, { first: 1, count: range }, 'ids.first'],
    [range, { first: range, count: 5 }, 'ids.count'],
    [range, { first: range, count: 2 ** 32 }, 'ids.count'],
  ])('rejects %i ids for each pod of %j', (length, block, field) => {
    expect(() => createIdRanges(length, block)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });

  it('never allocates a range twice', () => {
    const seed = 20_261_121;
    const random = seededRandom(seed);
    const ranges = createIdRanges(range, { first: range, count: 40 * range });
    const held: number[] = [];
    for (let step = 0; step < 2000; step++) {
      if (random() < 0.55) {
        const first = ranges.take();
        expect(first === undefined, `seed ${seed} step ${step}`).toBe(held.length === 40);
        if (first !== undefined) held.push(first);
      } else {
        const [freed] = held.splice(Math.floor(random() * held.length), 1);
        if (freed !== undefined) ranges.release(freed);
      }
      expect(new Set(held).size, `seed ${seed} step ${step}`).toBe(held.length);
    }
    expect(ranges.claim(held[0] ?? range)).toBe(held.length === 0);
  });
});
