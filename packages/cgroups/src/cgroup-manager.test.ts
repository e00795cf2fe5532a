import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CgroupName, LockHolder } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, vi } from 'vitest';
import type { CgroupFiles, RunSystemd } from './cgroup-files.js';
import { type CgroupManager, createCgroupManager } from './cgroup-manager.js';
import { machineCgroupFiles } from './machine-cgroup-files.js';
import { createMemoryCgroups } from './memory.js';

const pod = ['kubepods', 'burstable', 'pod1-2'];

function machine(version: 1 | 2, change: (files: CgroupFiles) => Partial<CgroupFiles> = () => ({})) {
  const memory = createMemoryCgroups({ version });
  const clock = createVirtualClock();
  const files = { ...memory.files, ...change(memory.files) };
  const manager = createCgroupManager({ files, clock });
  return { ...memory, clock, cgroups: { ...manager, remove: (name: CgroupName) => clock.run(manager.remove(name)) } };
}

describe.each([1, 2] as const)('cgroups of version %i', (version) => {
  it('creates a cgroup with its parents, in which a process can start', async () => {
    const { cgroups, paths, startProcess } = machine(version);
    await cgroups.create(pod, { cpuShares: 512, memory: 1000n });
    expect(paths()).toEqual(['/kubepods', '/kubepods/burstable', '/kubepods/burstable/pod1-2']);
    expect(await cgroups.exists(pod)).toBe(true);
    expect(await cgroups.read(pod)).toMatchObject({ cpuQuota: -1, cpuPeriod: 100_000, memory: 1000n });
    const pid = startProcess('/kubepods/burstable/pod1-2');
    expect(await cgroups.pids(['kubepods'])).toEqual([pid]);
  });

  it('creates an existing cgroup again without a change', async () => {
    const { cgroups, paths } = machine(version);
    await cgroups.create(pod, { memory: 1000 });
    await cgroups.create(pod);
    expect(paths()).toHaveLength(3);
    expect(await cgroups.read(pod)).toMatchObject({ memory: 1000n });
  });

  it('removes a limit by -1 and keeps absent values', async () => {
    const { cgroups } = machine(version);
    await cgroups.create(pod, { cpuShares: 1024, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 1000 });
    const before = await cgroups.read(pod);
    await cgroups.update(pod, { memory: -1 });
    expect(await cgroups.read(pod)).toEqual({ ...before, memory: -1n });
  });

  it('kills the processes in a cgroup and below, and removes it', async () => {
    const { cgroups, paths, startProcess } = machine(version);
    await cgroups.create([...pod, 'container']);
    startProcess('/kubepods/burstable/pod1-2/container');
    await cgroups.remove(pod);
    expect(paths()).toEqual(['/kubepods', '/kubepods/burstable']);
    await cgroups.remove(pod);
  });

  it('removes a cgroup with those below it only if no process is in them', async () => {
    const { cgroups, paths, files, startProcess } = machine(version);
    await cgroups.create([...pod, 'container']);
    const pid = startProcess('/kubepods/burstable/pod1-2/container');
    expect(await cgroups.removeEmpty(pod)).toBe(false);
    expect([paths().length, await cgroups.pids(pod)]).toEqual([4, [pid]]);
    files.kill(pid);
    expect(await cgroups.removeEmpty(pod)).toBe(true);
    expect(paths()).toEqual(['/kubepods', '/kubepods/burstable']);
    expect(await cgroups.removeEmpty(pod)).toBe(true);
    await expect(cgroups.removeEmpty([])).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('waits for processes that take a while to exit', async () => {
    let kills = 0;
    const { cgroups, startProcess, paths, clock } = machine(version, ({ kill }) => ({
      kill: (pid) => {
        if (++kills === 4) kill(pid);
      },
    }));
    await cgroups.create(pod);
    startProcess('/kubepods/burstable/pod1-2');
    const start = clock.monotonic();
    await cgroups.remove(pod);
    expect(paths()).toEqual(['/kubepods', '/kubepods/burstable']);
    expect(clock.monotonic() - start).toBe(150);
  });

  it('rejects a removal while processes remain, to be retried', async () => {
    const { cgroups, startProcess } = machine(version, () => ({ kill() {} }));
    await cgroups.create(pod);
    startProcess('/kubepods/burstable/pod1-2');
    await expect(cgroups.remove(pod)).rejects.toMatchObject({
      code: 'CgroupFailed',
      retryable: true,
      message: expect.stringContaining('"/kubepods/burstable/pod1-2"'),
    });
  });

  it('does not kill its own process', async () => {
    const killed: number[] = [];
    const { cgroups, startProcess } = machine(version, ({ read }) => ({
      read: async (path) => (path.endsWith('pod1-2/cgroup.procs') ? `${process.pid}\n` : read(path)),
      kill: (pid) => killed.push(pid),
      pid: process.pid,
    }));
    await cgroups.create(pod);
    startProcess('/kubepods/burstable/pod1-2');
    await expect(cgroups.remove(pod)).rejects.toThrow(`it contains this process, ${process.pid}`);
    expect(killed).toEqual([]);
  });

  it('names the file and the value that the kernel rejects', async () => {
    const { cgroups } = machine(version, ({ write }) => ({
      write: (path, text) =>
        text === '4096' ? Promise.reject(Object.assign(new Error('EBUSY: device or resource busy'), { code: 'EBUSY' })) : write(path, text),
    }));
    await cgroups.create(pod);
    await expect(cgroups.update(pod, { memory: 4096 })).rejects.toMatchObject({
      code: 'CgroupFailed',
      retryable: true,
      message: expect.stringMatching(/^failed to set memory\.\S+ to 4096 of "\/kubepods\/burstable\/pod1-2": EBUSY/),
    });
  });

  it('creates one folder a controller if the parents exist, and removes an empty cgroup without reading it', async () => {
    const calls: string[] = [];
    const count = <A extends unknown[], R>(name: string, call: (...args: A) => R) => {
      return (...args: A): R => {
        calls.push(name);
        return call(...args);
      };
    };
    const { cgroups } = machine(version, ({ mkdir, rmdir, folders, read }) => ({
      mkdir: count('mkdir', mkdir),
      rmdir: count('rmdir', rmdir),
      folders: count('folders', folders),
      read: count('read', read),
    }));
    await cgroups.create(pod);
    const mounts = version === 1 ? 5 : 1;
    calls.length = 0;
    await cgroups.create([...pod.slice(0, 2), 'pod2']);
    expect(calls.filter((name) => name === 'mkdir')).toHaveLength(mounts);
    calls.length = 0;
    await cgroups.remove([...pod.slice(0, 2), 'pod2']);
    expect(calls).toEqual(Array.from({ length: mounts }, () => 'rmdir'));
  });

  it('lists the cgroups below', async () => {
    const { cgroups } = machine(version);
    await cgroups.create(pod);
    await cgroups.create(['kubepods', 'pod7']);
    expect(await cgroups.children(['kubepods'])).toEqual([
      ['kubepods', 'burstable'],
      ['kubepods', 'pod7'],
    ]);
    expect(await cgroups.children(['other'])).toEqual([]);
  });
});

it('locks a cgroup of the machine by its inode, whatever path leads to it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'nodeagent-cgroups-'));
  vi.stubEnv('XDG_RUNTIME_DIR', root);
  try {
    for (const folder of ['kubepods', 'other']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory');
    symlinkSync('.', join(root, 'mounted'));
    const heldBy = (holder: LockHolder | undefined) => new Error(`held by ${holder?.pid}`);
    const managers = [root, join(root, 'mounted')].map((folder) => createCgroupManager({ root: folder, files: machineCgroupFiles }));
    const [first, second] = managers as [CgroupManager, CgroupManager];
    const release = await first.lock(['kubepods'], heldBy);
    await expect(second.lock(['kubepods'], heldBy)).rejects.toThrow(`held by ${process.pid}`);
    (await second.lock(['other'], heldBy))();
    release();
    (await second.lock(['kubepods'], heldBy))();
  } finally {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  }
});

it('names the missing controllers of a cgroup of version 2', async () => {
  const { cgroups, files } = machine(2);
  await files.mkdir('/sys/fs/cgroup/kubepods');
  await expect(cgroups.validate(['kubepods'])).rejects.toMatchObject({
    code: 'CgroupInvalid',
    message: 'cgroup "/kubepods" has some missing controllers: cpu, cpuset, memory, pids, hugetlb',
  });
});

it('names the missing paths of a cgroup of version 1', async () => {
  const { cgroups, files } = machine(1);
  await files.mkdir('/sys/fs/cgroup/cpu/kubepods');
  await expect(cgroups.validate(['kubepods'])).rejects.toThrow(
    'cgroup "/kubepods" has some missing paths: /sys/fs/cgroup/cpuset/kubepods, /sys/fs/cgroup/memory/kubepods',
  );
});

it('removes what a runtime created in the hierarchy of version 2 of a hybrid machine', async () => {
  const memory = createMemoryCgroups({ version: 1, controllers: ['cpu', 'memory', 'unified'] });
  const cgroups = createCgroupManager({ files: memory.files });
  await cgroups.create(['pods']);
  await memory.files.mkdir('/sys/fs/cgroup/unified/pods');
  await memory.files.mkdir('/sys/fs/cgroup/unified/pods/container');
  await cgroups.remove(['pods']);
  expect([memory.paths(), (await cgroups.hierarchy()).controllers]).toEqual([
    [],
    new Map(['cpu', 'memory'].map((name) => [name, `/sys/fs/cgroup/${name}`])),
  ]);
});

it('sets the quota before a period that the kernel rejects with the old quota', async () => {
  const order: string[] = [];
  const { cgroups, text } = machine(1, ({ read, write }) => ({
    async write(path, value) {
      order.push(path.slice(path.lastIndexOf('/') + 1));
      const quota = path.endsWith('cpu.cfs_period_us') && (await read(path.replace('period', 'quota'))).trim();
      if (quota && Number(quota) > 10 * Number(value)) throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
      await write(path, value);
    },
  }));
  await cgroups.create(['a'], { cpuQuota: 1_000_000, cpuPeriod: 100_000 });
  order.length = 0;
  await cgroups.update(['a'], { cpuQuota: 5000, cpuPeriod: 5000 });
  expect(order).toEqual(['cpu.cfs_period_us', 'cpu.cfs_quota_us', 'cpu.cfs_period_us', 'cpu.cfs_quota_us']);
  expect(text('/a', 'cpu.cfs_period_us')).toBe('5000');
});

it('rejects a machine without cgroups', async () => {
  const { cgroups } = machine(2, () => ({
    read: () => Promise.reject(new Error('ENOENT')),
    folders: () => Promise.reject(new Error('ENOENT')),
  }));
  await expect(cgroups.create(pod)).rejects.toMatchObject({ code: 'CgroupUnavailable' });
});

describe('the driver systemd', () => {
  const name = ['kubepods', 'burstable'];
  const clock = createVirtualClock();
  function systemd(fail: (args: readonly string[]) => string | undefined = () => undefined) {
    const memory = createMemoryCgroups({ version: 2 });
    const calls: string[] = [];
    const runSystemd: RunSystemd = async (program, args) => {
      calls.push([program, ...args].join(' '));
      const text = fail(args);
      if (text !== undefined) throw new Error(text);
    };
    const cgroups = createCgroupManager({
      driver: 'systemd',
      files: { ...memory.files, runSystemd },
      clock,
    });
    return { ...memory, cgroups, calls };
  }

  it('starts a transient slice and creates its folders', async () => {
    const { cgroups, calls, paths, text } = systemd();
    await cgroups.create(name, { cpuShares: 512 });
    expect(calls).toEqual([
      'busctl call --quiet --timeout=30 org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StartTransientUnit ' +
        'ssa(sv)a(sa(sv)) kubepods-burstable.slice replace 8 Description s kubernetes cgroup kubepods-burstable.slice Wants as 1 kubepods.slice ' +
        'DefaultDependencies b false MemoryAccounting b true CPUAccounting b true IOAccounting b true TasksAccounting b true CPUWeight t 20 0',
      'systemctl start kubepods-burstable.slice',
    ]);
    expect(paths()).toEqual(['/kubepods.slice', '/kubepods.slice/kubepods-burstable.slice']);
    expect(text('/kubepods.slice/kubepods-burstable.slice', 'cpu.weight')).toBe('20');
    expect(await cgroups.children(['kubepods'])).toEqual([['kubepods', 'burstable']]);
  });

  it('adopts a slice that exists', async () => {
    const { cgroups } = systemd((args) => (args.includes('StartTransientUnit') ? 'Unit kubepods.slice already exists.' : undefined));
    await cgroups.create(['kubepods']);
    expect(await cgroups.exists(['kubepods'])).toBe(true);
  });

  it('sets properties, then files', async () => {
    const { cgroups, calls, text } = systemd();
    await cgroups.create(name);
    calls.length = 0;
    await cgroups.update(name, { memory: 4096 });
    expect(calls).toEqual([
      'busctl call --quiet --timeout=30 org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager SetUnitProperties ' +
        'sba(sv) kubepods-burstable.slice true 1 MemoryMax t 4096',
    ]);
    expect(text('/kubepods.slice/kubepods-burstable.slice', 'memory.max')).toBe('4096');
  });

  it('stops the slice and removes its folder', async () => {
    const { cgroups, calls, paths } = systemd((args) =>
      args[0] === 'reset-failed' ? 'Unit kubepods-burstable.slice not loaded.' : undefined,
    );
    await cgroups.create(name);
    await clock.run(cgroups.remove(name));
    expect(calls.slice(-2)).toEqual(['systemctl stop kubepods-burstable.slice', 'systemctl reset-failed kubepods-burstable.slice']);
    expect(paths()).toEqual(['/kubepods.slice']);
  });

  it('reports a systemd that does not answer, to be retried', async () => {
    const { cgroups } = systemd(() => 'Connection timed out');
    await expect(cgroups.create(name)).rejects.toMatchObject({
      code: 'SystemdFailed',
      retryable: true,
      message: 'failed to create slice "kubepods-burstable.slice": Connection timed out',
    });
  });
});
