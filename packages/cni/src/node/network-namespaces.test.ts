import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cniErrorCodes } from '../errors.js';
import { createNetworkNamespaces } from './network-namespaces.js';

describe('createNetworkNamespaces', () => {
  let folder: string;
  let calls: string[];
  let failing: string | undefined;
  const run = async (program: string, args: readonly string[]) => {
    calls.push([program, ...args].join(' '));
    return program === failing ? { exitCode: 1, stderr: `${program}: no\n` } : { exitCode: 0, stderr: '' };
  };
  const create = () => createNetworkNamespaces({ folder, prefix: 'test-', run });
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'cni-ns-')), 'netns');
    [calls, failing] = [[], undefined];
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  it('shares the folder once, and lets a child bind the namespace to a file', async () => {
    const namespaces = create();
    expect(await namespaces.list()).toEqual([]);
    const path = await namespaces.create('c1');
    await namespaces.create('c2');
    expect(path).toBe(join(folder, 'test-c1'));
    expect(calls).toEqual([
      `mount --rbind ${folder} ${folder}`,
      `mount --make-rshared ${folder}`,
      `unshare --net=${path} -- ip link set lo up`,
      `unshare --net=${folder}/test-c2 -- ip link set lo up`,
    ]);
    writeFileSync(join(folder, 'other'), '');
    expect((await namespaces.list()).sort()).toEqual(['c1', 'c2']);
  });

  it('binds an existing namespace, and sets up its loopback interface', async () => {
    const path = await create().create('c1', undefined, '/proc/7/ns/net');
    expect(calls.slice(-2)).toEqual([`mount --bind /proc/7/ns/net ${path}`, `nsenter --net=${path} -- ip link set lo up`]);
  });

  it('leaves no file when the namespace cannot be created', async () => {
    failing = 'unshare';
    await expect(create().create('c1')).rejects.toMatchObject({
      code: cniErrorCodes.namespaceFailed,
      message: `network namespace ${folder}/test-c1 failed: unshare: no`,
      retryable: true,
    });
    expect(existsSync(join(folder, 'test-c1'))).toBe(false);
  });

  it('refuses one that exists, and IDs that lead elsewhere', async () => {
    const namespaces = create();
    await namespaces.create('c1');
    await expect(namespaces.create('c1')).rejects.toThrow('it exists');
    for (const containerId of ['../x', '', 'a/b']) {
      await expect(namespaces.create(containerId)).rejects.toMatchObject({ code: cniErrorCodes.invalidAttachment });
      await expect(namespaces.remove(containerId)).rejects.toMatchObject({ code: cniErrorCodes.invalidAttachment });
    }
  });

  it('does not take an unfinished file for a namespace, and removes it', async () => {
    const namespaces = create();
    await namespaces.create('c1');
    expect(await namespaces.find('c1')).toBeUndefined();
    await namespaces.remove('c1');
    await namespaces.remove('c1');
    expect(await namespaces.list()).toEqual([]);
    expect(calls.filter((call) => call.startsWith('umount'))).toEqual([]);
  });

  it('tries to share the folder again after a failure', async () => {
    failing = 'mount';
    const namespaces = create();
    await expect(namespaces.create('c1')).rejects.toThrow('mount: no');
    failing = undefined;
    await namespaces.create('c1');
    expect(readFileSync(join(folder, 'test-c1'), 'utf8')).toBe('');
  });
});
