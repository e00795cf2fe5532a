import { type MountInfo, NodeAgentError } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createFakeMounter } from './fake-mounter.js';
import { createFileSystemProbe } from './file-system-probe.js';

const { signal } = new AbortController();

function mountAt(mountPoint: string, fsType: string): MountInfo {
  const device = { major: 0, minor: 40, root: '/', source: 'server:/data' };
  return { id: 7, parentId: 1, mountPoint, fsType, options: ['rw'], optionalFields: [], superOptions: ['rw'], ...device };
}

/** A mounted file system of each type; `answer` ends the call of stat(1) to the network. */
function setUp() {
  const clock = createVirtualClock();
  const mounter = createFakeMounter({ mounts: [mountAt('/tmp', 'ext4'), mountAt('/net', 'nfs4')] });
  const pending: ((line: string) => void)[] = [];
  const run = async (command: string, args: readonly string[]) => {
    mounter.calls.push([command, ...args].join(' '));
    const stdout = await new Promise<string>((resolve) => {
      pending.push(resolve);
    });
    return stdout === '' ? { exitCode: 1, stdout, stderr: 'stat: Stale file handle' } : { exitCode: 0, stdout, stderr: '' };
  };
  const probe = createFileSystemProbe({ mounter: { list: mounter.list, run }, clock });
  return { clock, probe, calls: mounter.calls, answer: (line: string) => pending.shift()?.(line) };
}

const call = 'stat -f -c %s %b %f %a %c %d -- /net';

it('asks a file system on the network in a process, and one of this machine without', async () => {
  const { probe, calls, answer } = setUp();
  const asked = probe.usage('/net', signal);
  await expect.poll(() => calls).toEqual([call]);
  answer('1024 100 40 30 12 5\n');
  expect(await asked).toEqual({
    capacityBytes: 102_400n,
    availableBytes: 30_720n,
    usedBytes: 61_440n,
    inodes: 12n,
    inodesFree: 5n,
    inodesUsed: 7n,
  });
  expect((await probe.usage('/tmp', signal)).capacityBytes).toBeGreaterThan(0n);
  expect(calls).toHaveLength(1);
});

it('does not ask a path again while it has not answered, and asks again afterwards', async () => {
  const { probe, calls, answer } = setUp();
  const controller = new AbortController();
  const given = probe.usage('/net', controller.signal);
  const [first, second] = [probe.usage('/net', signal), probe.usage('/net', signal)];
  await expect.poll(() => calls).toEqual([call]);
  // Asked after the others: they wait for the answer by then.
  await probe.usage('/tmp', signal);
  controller.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  answer('');
  for (const each of [first, second]) await expect(each).rejects.toThrow('Stale file handle');
  const again = probe.usage('/net', signal);
  await expect.poll(() => calls).toEqual([call, call]);
  answer('1024 1 1 1 1 1');
  await again;
});

it('reports after 5 s that a file system does not answer, and at once while that lasts', async () => {
  const { clock, probe, calls, answer } = setUp();
  await probe.requireAnswer('/tmp/volume');
  const failures: unknown[] = [];
  const require = () =>
    void probe.requireAnswer('/net/data').then(
      () => failures.push('none'),
      (error) => failures.push(error),
    );
  require();
  await clock.advance(4_999);
  expect(failures).toEqual([]);
  await clock.advance(1);
  require();
  await clock.settle();
  expect(failures).toHaveLength(2);
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(NodeAgentError);
    expect(failure).toMatchObject({ code: 'FileSystemHangs', retryable: true, details: { path: '/net/data' } });
  }
  expect(calls).toHaveLength(1);
  answer('1024 1 1 1 1 1');
  await clock.settle();
  require();
  await clock.settle();
  answer('');
  await clock.settle();
  expect(failures.slice(2)).toEqual(['none']);
});
