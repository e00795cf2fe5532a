import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { layOut, staticPod, type Tree, type TreeName, webPod } from '../test-harness.js';
import { createCgroupReader } from './cgroup-reader.js';
import { unlimited } from './kernel-file.js';

const trees: Tree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.destroy();
});

function setUp(name: TreeName) {
  const tree = layOut(name);
  trees.push(tree);
  const clock = createVirtualClock({ start: Date.UTC(2026, 0, 2) });
  const reader = createCgroupReader({ ...tree.roots, clock });
  const ids = [webPod.sandboxId, webPod.containerId, staticPod.sandboxId, staticPod.containerId];
  return { tree, clock, reader, paths: reader.find(ids) };
}

const systemd = '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8f14e45f_ceea_467f_a0e6_9d2f1c3b5a77.slice';
const cgroupfs = '/kubepods/burstable/pod8f14e45f-ceea-467f-a0e6-9d2f1c3b5a77';

describe.each([
  ['v2-systemd', systemd, `${systemd}/cri-containerd-${webPod.containerId}.scope`],
  ['v2-cgroupfs', cgroupfs, `${cgroupfs}/${webPod.containerId}`],
] as const)('a recorded node of layout %s', (name, podPath, containerPath) => {
  it('finds pods by UID and containers by ID', () => {
    const { paths } = setUp(name);
    expect(paths.pods.get(webPod.uid)).toBe(podPath);
    expect(paths.containers.get(webPod.containerId)).toBe(containerPath);
    expect(paths.pods.has(staticPod.uid)).toBe(true);
    expect(paths.containers.get(staticPod.containerId)).not.toContain('conmon');
  });

  it('reads all values of a container', () => {
    const { reader } = setUp(name);
    const psi = (total: bigint, avg10: number, avg60: number, avg300: number) => ({ total, avg10, avg60, avg300 });
    expect(reader.sample(containerPath, { processes: true, detail: true })).toEqual({
      time: Date.UTC(2026, 0, 2),
      monotonic: 0,
      hasCpu: true,
      cpu: {
        usageNanos: 28_000_011_000n,
        userNanos: 20_000_007_000n,
        systemNanos: 8_000_004_000n,
        cfs: { periods: 400n, throttledPeriods: 12n, throttledNanos: 18_000_000n, burstPeriods: 0n, burstNanos: 0n },
      },
      hasMemory: true,
      memory: {
        usageBytes: 13_200_579n,
        workingSetBytes: 13_200_579n - 6_000_078n,
        rssBytes: 4_000_123n,
        cacheBytes: 8_000_456n,
        mappedFileBytes: 160_000n,
        kernelBytes: 1_200_000n,
        activeFileBytes: 2_000_378n,
        inactiveFileBytes: 6_000_078n,
        pageFaults: 36_001n,
        majorPageFaults: 4n,
        limitBytes: 268_435_456n,
        swapBytes: 4_096n,
        swapLimitBytes: 1_048_576n,
      },
      psi: {
        cpu: { some: psi(493_824n, 1.25, 0.5, 0.07), full: psi(9_380n, 0.1, 0.01, 0) },
        memory: { some: psi(68n, 0, 0, 0), full: psi(20n, 0, 0, 0) },
        io: { some: psi(3_950_616n, 2.5, 1.75, 10.09), full: psi(3_506_172n, 2.25, 1.5, 9.99) },
      },
      processes: 3,
      detail: {
        shares: 185n,
        quotaMicros: 20_000n,
        periodMicros: 100_000n,
        maxUsageBytes: 13_204_675n,
        failures: 8n,
        oomKills: 4n,
        reservationBytes: 0n,
        threads: 6n,
        threadsMax: unlimited,
        io: [{ major: 8, minor: 0, readBytes: 16_384n, writeBytes: 32_768n, reads: 4n, writes: 8n }],
      },
    });
  });

  it('reads the memory of the root cgroup from /proc', () => {
    const { reader } = setUp(name);
    expect(reader.sample('/')?.memory).toMatchObject({
      usageBytes: 300_000_579n,
      workingSetBytes: 300_000_579n - 150_000_078n,
      limitBytes: 16_384_000n * 1024n,
      swapBytes: 4n * 1024n * 1024n,
      swapLimitBytes: 2n * 1024n ** 3n,
    });
    expect(reader.version()).toBe(2);
    expect(reader.bootTime()).toBe(1_767_225_600_000);
    expect(reader.processLimits()).toEqual({ maxpid: 127_432n, curproc: 317n });
    expect(reader.diskNames().get('8:1')).toBe('sda1');
  });

  it("reads the network of a pod in its sandbox's namespace, and that of the node", () => {
    const { reader, paths } = setUp(name);
    const [pid] = reader.processes(paths.containers.get(webPod.sandboxId) ?? '');
    expect(reader.interfaces(pid)).toEqual([
      {
        name: 'eth0',
        rxBytes: 5000n,
        rxPackets: 50n,
        rxErrors: 0n,
        rxDropped: 1n,
        txBytes: 7000n,
        txPackets: 70n,
        txErrors: 0n,
        txDropped: 0n,
      },
    ]);
    expect(reader.interfaces()?.map((each) => each.name)).toEqual(['eth0', 'eth1']);
  });

  it('returns undefined for a removed cgroup, also if only some of its files are missing', () => {
    const { reader, tree } = setUp(name);
    expect(reader.sample('/kubepods/unknown')).toBeUndefined();
    tree.remove(containerPath);
    expect(reader.sample(containerPath)).toBeUndefined();
    expect(reader.processes(containerPath)).toEqual([]);
  });

  it.each([
    ['memory.stat', 'inactive_file 6000078\n', 'inactive_file 60'],
    ['memory.current', '13200579\n', '132'],
  ])('omits memory if %s is truncated, because a wrong working set evicts pods', (file, whole, cut) => {
    const { reader, tree } = setUp(name);
    const text = tree.read(`${containerPath}/${file}`);
    tree.write(`${containerPath}/${file}`, text.slice(0, text.indexOf(whole)) + cut);
    const sample = reader.sample(containerPath);
    expect(sample?.memory).toBeUndefined();
    expect(sample?.hasMemory).toBe(true);
    expect(sample?.cpu?.usageNanos).toBe(28_000_011_000n);
  });

  it('omits CPU if cpu.stat is truncated, and pressure if its file is', () => {
    const { reader, tree } = setUp(name);
    tree.write(`${containerPath}/cpu.stat`, 'usage_usec 28');
    tree.write(`${containerPath}/io.pressure`, 'some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.0');
    const sample = reader.sample(containerPath);
    expect(sample?.cpu).toBeUndefined();
    expect(sample?.memory?.rssBytes).toBe(4_000_123n);
    expect(sample?.psi?.io).toBeUndefined();
    expect(sample?.psi?.cpu?.some.avg10).toBe(1.25);
  });

  it('distinguishes cgroups without memory controller, with unreadable memory, and without swap accounting', () => {
    const { reader, tree } = setUp(name);
    tree.remove(`${containerPath}/memory.swap.current`);
    tree.remove(`${containerPath}/memory.swap.max`);
    expect(reader.sample(containerPath)?.memory).toMatchObject({ swapBytes: 0n, swapLimitBytes: 0n });
    tree.remove(`${containerPath}/memory.stat`);
    expect(reader.sample(containerPath)).toMatchObject({ hasMemory: false });
  });

  it('searches the tree again only for a new container, and for a missing one after a minute', async () => {
    const { reader, tree, clock } = setUp(name);
    const fresh = 'f0'.repeat(32);
    const path = `${podPath}/${fresh}`;
    const find = () => reader.find([webPod.containerId, fresh]).containers.get(fresh);
    expect(find()).toBeUndefined();
    tree.write(`${podPath}/.keep`, '');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(tree.roots.root, path));
    expect(find()).toBeUndefined();
    await clock.advance(60_000);
    expect(find()).toBe(path);
  });
});

it('has no pressure on a kernel without PSI', () => {
  const { tree } = setUp('v2-cgroupfs');
  tree.remove('cpu.pressure');
  const reader = createCgroupReader(tree.roots);
  expect(reader.sample('/kubepods')?.psi).toBeUndefined();
});

it('fails if there are no cgroups', () => {
  const root = mkdtempSync(join(tmpdir(), 'nodeagent-stats-'));
  const reader = createCgroupReader({ root });
  expect(() => reader.version()).toThrow(expect.objectContaining({ code: 'CgroupUnreadable', details: { root } }));
});

it('fails for the root cgroup if /proc/meminfo is missing', () => {
  const { tree } = setUp('v2-cgroupfs');
  const reader = createCgroupReader({ ...tree.roots, proc: join(tree.dir, 'nowhere') });
  expect(() => reader.sample('/')).toThrow(expect.objectContaining({ code: 'CgroupUnreadable' }));
});
