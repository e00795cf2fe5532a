import type { Pod } from '@nodeagent/api';
import { type CgroupFiles, type CgroupManager, createCgroupManager } from '@nodeagent/cgroups';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { buildPod, createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createContainerManager } from './container-manager.js';
import { kernelSettings } from './kernel-settings.js';
import type { ContainerManagerOptions } from './options.js';

const requests = (cpu: string) => ({ containers: [{ resources: { requests: { cpu } } }] });

function node(
  options: Partial<ContainerManagerOptions> = {},
  { version = 2, change = () => ({}) }: { version?: 1 | 2; change?: (files: CgroupFiles) => Partial<CgroupFiles> } = {},
) {
  const memory = createMemoryCgroups({ version });
  const clock = createVirtualClock();
  const recorder = createRecordingRecorder();
  const logger = createRecordingLogger();
  const pods: Pod[] = [];
  const cgroups = createCgroupManager({ files: { ...memory.files, ...change(memory.files) }, clock });
  const manager = createContainerManager({
    cgroups,
    activePods: () => pods,
    capacity: { cpu: '4', memory: '8Gi' },
    systemReserved: { memory: '1Gi' },
    nodeName: 'n1',
    clock,
    recorder,
    logger,
    ...options,
  });
  return { ...memory, clock, recorder, logger, pods, cgroups, manager };
}

const failing = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

describe.each([1, 2] as const)('cgroups of version %i', (version) => {
  it('start creates those of all pods and of the QoS classes', async () => {
    const { manager, cgroups, paths, recorder } = node({}, { version });
    await manager.start();
    expect(manager.isEnabled).toBe(true);
    expect(paths()).toEqual(['/kubepods', '/kubepods/besteffort', '/kubepods/burstable']);
    expect(await cgroups.read(['kubepods'])).toMatchObject({ memory: 7n << 30n });
    expect(recorder.lines).toEqual(['Normal NodeAllocatableEnforced Updated Node Allocatable limit across pods']);
    await manager.stop();
    await manager.stop();
  });

  it('creates, updates and removes the cgroup of a pod', async () => {
    const { manager, paths, cgroups, clock, startProcess } = node({}, { version });
    await manager.start();
    const pod = buildPod({ name: 'a', uid: 'u-1', ...requests('500m') });
    await manager.pods.create(pod);
    await manager.pods.create(pod);
    expect(paths()).toContain('/kubepods/burstable/podu-1');
    expect(manager.pods.parent(pod)).toBe('/kubepods/burstable/podu-1');
    expect(await manager.pods.exists(pod)).toBe(true);
    const limited = (memory: string, cpu: string) =>
      buildPod({ name: 'a', uid: 'u-1', containers: [{ resources: { requests: { cpu, memory: '1Ki' }, limits: { cpu, memory } } }] });
    const values = () => cgroups.read(['kubepods', 'burstable', 'podu-1']);
    await manager.pods.resize(limited('4Ki', '1'), 'memory', 'limit');
    await manager.pods.resize(limited('4Ki', '1'), 'cpu', 'request');
    expect(await values()).toMatchObject({ memory: 4096n, cpuShares: version === 1 ? 1024 : 998, cpuQuota: -1 });
    await manager.pods.resize(limited('4Ki', '1'), 'cpu', 'limit');
    expect(await values()).toMatchObject({ cpuQuota: 100_000, cpuPeriod: 100_000 });
    await manager.pods.resize(pod, 'memory', 'limit');
    await manager.pods.resize(pod, 'cpu', 'limit');
    expect(await values()).toMatchObject({ memory: 4096n, cpuQuota: 100_000 });
    expect([await manager.pods.memoryUsage(limited('4Ki', '1')), await manager.pods.memoryUsage(pod)]).toEqual([0n, undefined]);
    startProcess('/kubepods/burstable/podu-1');
    await clock.run(manager.pods.remove(pod));
    expect(await manager.pods.exists(pod)).toBe(false);
  });
});

it('updates the QoS classes one after the other, and not after a stop', async () => {
  let updates = 0;
  let open = 0;
  let maxOpen = 0;
  const memory = createMemoryCgroups();
  const clock = createVirtualClock();
  const own = createCgroupManager({ files: memory.files, clock });
  const cgroups = {
    ...own,
    async update(...change: Parameters<typeof own.update>) {
      updates++;
      maxOpen = Math.max(maxOpen, ++open);
      await clock.sleep(100);
      await own.update(...change);
      open--;
    },
  };
  const pods: Pod[] = [];
  const manager = createContainerManager({
    cgroups,
    activePods: () => pods,
    capacity: { cpu: '4' },
    nodeName: 'n1',
    enforceNodeAllocatable: [],
    clock,
  });
  await manager.start();
  pods.push(buildPod({ name: 'a', ...requests('1') }));
  const first = manager.updateQosCgroups();
  await clock.advance(10);
  pods.push(buildPod({ name: 'b', ...requests('1') }));
  await clock.run(Promise.all([first, manager.updateQosCgroups()]));
  expect([maxOpen, memory.text('/kubepods/burstable', 'cpu.weight')]).toEqual([1, '79']);
  const before = updates;
  await clock.run(manager.stop());
  expect([updates, clock.pending]).toEqual([before, 0]);
});

it('updates the shares of burstable pods on request and every minute', async () => {
  const { manager, text, pods, clock } = node();
  await manager.start();
  const weight = () => text('/kubepods/burstable', 'cpu.weight');
  expect(weight()).toBe('1');
  pods.push(buildPod({ name: 'a', ...requests('1') }));
  await manager.updateQosCgroups();
  expect(weight()).toBe('39');
  pods.push(buildPod({ name: 'b', ...requests('1') }));
  await clock.advance(60_000);
  expect(weight()).toBe('79');
  await manager.stop();
  pods.length = 0;
  await clock.advance(120_000);
  expect(weight()).toBe('79');
});

it('shares one update among the pods that start during another, and writes only what changed', async () => {
  const writes: string[] = [];
  const change = ({ write }: CgroupFiles) => ({
    write(path: string, value: string) {
      if (path.endsWith('cpu.weight')) writes.push(`${path.split('/').at(-2)} ${value}`);
      return write(path, value);
    },
  });
  const { manager, pods } = node({}, { change });
  await manager.start();
  await manager.updateQosCgroups();
  writes.length = 0;
  const updates: Promise<void>[] = [];
  for (const name of ['a', 'b', 'c']) {
    pods.push(buildPod({ name, ...requests('1') }));
    updates.push(manager.updateQosCgroups());
  }
  await Promise.all(updates);
  await manager.updateQosCgroups();
  expect(writes).toEqual(['burstable 118']);
  await manager.stop();
});

const memoryOf = (requested: string, limit = requested) => ({
  containers: [{ resources: { requests: { cpu: '1', memory: requested }, limits: { cpu: '1', memory: limit } } }],
});

it('keeps requested memory from reclaim with MemoryQoS, and follows a resize', async () => {
  const { manager, text, pods } = node({ memoryReservationPolicy: 'TieredReservation' });
  await manager.start();
  const burstable = buildPod({ name: 'b', uid: 'b', ...memoryOf('1Gi', '2Gi') });
  pods.push(burstable, buildPod({ name: 'g', uid: 'g', ...memoryOf('1Gi') }));
  for (const pod of pods) await manager.pods.create(pod);
  await manager.updateQosCgroups();
  const values = (path: string) => ['memory.min', 'memory.low'].map((file) => text(path, file));
  const gi = String(1 << 30);
  expect(['/kubepods', '/kubepods/podg', '/kubepods/burstable', '/kubepods/burstable/podb'].map(values)).toEqual([
    [gi, '0'],
    [gi, '0'],
    ['0', gi],
    ['0', gi],
  ]);
  await manager.pods.resize(buildPod({ name: 'b', uid: 'b', ...memoryOf('512Mi', '2Gi') }), 'memory', 'request');
  expect(values('/kubepods/burstable/podb')).toEqual(['0', String(512 << 20)]);
  await manager.stop();
});

it('limits lower classes to what qosReserved leaves, or to what they use', async () => {
  const usage = 7n << 30n;
  const change = ({ read, write }: CgroupFiles) => ({
    read: (path: string) => (path.endsWith('memory.current') ? Promise.resolve(`${usage}\n`) : read(path)),
    write: (path: string, value: string) =>
      path.endsWith('/besteffort/memory.max') && BigInt(value) < usage ? failing('EBUSY') : write(path, value),
  });
  const { manager, text, pods, logger } = node({ qosReservedMemoryPercent: 100 }, { change });
  await manager.start();
  pods.push(buildPod({ name: 'b', ...memoryOf('1Gi', '2Gi') }), buildPod({ name: 'g', ...memoryOf('2Gi') }));
  await manager.updateQosCgroups();
  expect(text('/kubepods/burstable', 'memory.max')).toBe(String(5n << 30n));
  expect(text('/kubepods/besteffort', 'memory.max')).toBe(String(usage));
  expect(logger.messages('warn')).toEqual([]);
  await manager.stop();
});

it('rejects a qosReservedMemoryPercent that is no percentage', () => {
  expect(() => node({ qosReservedMemoryPercent: 101 })).toThrow(
    'qosReservedMemoryPercent must be a whole percentage from 0 to 100, got 101',
  );
});

it('keeps the shares of the QoS classes at a restart until it knows the pods', async () => {
  const { manager, text, pods } = node();
  await manager.start();
  pods.push(buildPod({ name: 'a', ...requests('1') }));
  await manager.updateQosCgroups();
  await manager.stop();
  const [pod] = pods.splice(0);
  await manager.start();
  expect([pod?.metadata?.name, text('/kubepods/burstable', 'cpu.weight')]).toEqual(['a', '39']);
  await manager.stop();
});

it('restores the values of QoS classes that another program changed', async () => {
  const { manager, text, files, clock } = node();
  await manager.start();
  await files.write('/sys/fs/cgroup/kubepods/besteffort/cpu.weight', '9000');
  await clock.advance(60_000);
  expect(text('/kubepods/besteffort', 'cpu.weight')).toBe('1');
  await manager.stop();
});

it('updates the cgroup of a pod if its spec changed, and its memory limit once the usage fits', async () => {
  const writes: string[] = [];
  let usage = '0';
  const change = ({ write, read }: CgroupFiles): Partial<CgroupFiles> => ({
    write(path, value) {
      if (path.includes('/poda/')) writes.push(`${path.split('/').at(-1)} ${value}`);
      return write(path, value);
    },
    read: (path) => (path.endsWith('/poda/memory.current') ? Promise.resolve(usage) : read(path)),
  });
  const { manager } = node({}, { change });
  const limited = (memory: string, cpu: string) =>
    buildPod({ name: 'a', uid: 'a', containers: [{ resources: { limits: { cpu, memory } } }] });
  const written = async (pod: Pod) => {
    await manager.pods.update(pod);
    return writes.splice(0).filter((each) => !each.startsWith('cpu.weight'));
  };
  await manager.start();
  await manager.pods.create(limited('64Ki', '1'));
  writes.splice(0);
  expect(await written(limited('64Ki', '1'))).toEqual([]);
  expect(await written(limited('128Ki', '2'))).toEqual(['cpu.max 200000 100000', 'memory.max 131072']);
  expect(await written(limited('128Ki', '2'))).toEqual([]);
  usage = '100000';
  expect(await written(limited('64Ki', '1'))).toEqual(['cpu.max 100000 100000']);
  usage = '10';
  expect(await written(limited('64Ki', '1'))).toContain('memory.max 65536');
  expect(await written(limited('64Ki', '1'))).toEqual([]);
  await manager.stop();
});

it('logs an orphaned cgroup that cannot be removed, and removes the others', async () => {
  let isBusy = true;
  const { manager, paths, clock, logger } = node(
    {},
    { change: ({ rmdir }) => ({ rmdir: (path) => (isBusy && path.endsWith('/podbusy') ? failing('EBUSY') : rmdir(path)) }) },
  );
  await manager.start();
  for (const uid of ['busy', 'free']) await manager.pods.create(buildPod({ name: uid, uid }));
  const collect = () => clock.run(manager.pods.removeOrphans(new Set(), () => false));
  await collect();
  expect(paths().filter((path) => path.includes('/pod'))).toEqual(['/kubepods/besteffort/podbusy']);
  expect(logger.messages('warn')).toEqual(['failed to remove the cgroup of an orphaned pod; the next housekeeping retries']);
  isBusy = false;
  await collect();
  expect(paths().filter((path) => path.includes('/pod'))).toEqual([]);
  await manager.stop();
});

it('runs pods without cgroups where the program of systemd is missing', async () => {
  const memory = createMemoryCgroups();
  const missing = () => failing('ENOENT');
  const cgroups = createCgroupManager({ driver: 'systemd', files: { ...memory.files, runSystemd: missing } });
  const { manager, logger } = node({ cgroups });
  await manager.start();
  expect([manager.isEnabled, logger.messages('warn')]).toEqual([false, [expect.stringContaining('cgroups cannot be written')]]);
});

it('removes the cgroups of orphaned pods, and keeps those that hold volumes at the minimum of CPU', async () => {
  const { manager, paths, text, clock } = node();
  await manager.start();
  for (const uid of ['running', 'orphan', 'mounted']) await manager.pods.create(buildPod({ name: uid, uid, ...requests('1') }));
  await manager.pods.create(buildPod({ name: 'g', uid: 'g', containers: [{ resources: { limits: { cpu: '1', memory: '1Gi' } } }] }));
  expect(Array.from((await manager.pods.list()).keys()).sort()).toEqual(['g', 'mounted', 'orphan', 'running']);
  await clock.run(manager.pods.removeOrphans(new Set(['running']), (uid) => uid === 'mounted'));
  expect(paths().filter((path) => path.includes('/pod'))).toEqual(['/kubepods/burstable/podmounted', '/kubepods/burstable/podrunning']);
  expect(text('/kubepods/burstable/podmounted', 'cpu.weight')).toBe('1');
  expect(text('/kubepods/burstable/podrunning', 'cpu.weight')).toBe('39');
});

describe('the cgroup of a pod that is not known', () => {
  const orphan = '/kubepods/burstable/podforeign';
  const create = (cgroups: CgroupManager) => cgroups.create(['kubepods', 'burstable', 'podforeign']);
  const collectWith = ({ manager, clock }: ReturnType<typeof node>, isKnown?: (uid: string) => boolean) =>
    clock.run(manager.pods.removeOrphans(new Set(), () => false, isKnown));

  it('stays as long as processes run in it, which is reported once', async () => {
    const machine = node();
    const { manager, cgroups, startProcess, paths, logger } = machine;
    await manager.start();
    await create(cgroups);
    const pid = startProcess(orphan);
    await collectWith(machine);
    await collectWith(machine, (uid) => uid !== 'foreign');
    expect([paths().includes(orphan), await cgroups.pids(['kubepods'])]).toEqual([true, [pid]]);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { podUID: 'foreign', cgroup: orphan } }]);
    await collectWith(machine, (uid) => uid === 'foreign');
    expect([paths().includes(orphan), await cgroups.pids(['kubepods'])]).toEqual([false, []]);
    await manager.stop();
  });

  it('is removed without processes, unless a kubelet has started that may be about to use it', async () => {
    let kubelet: { pid: number } | undefined;
    const machine = node({ findKubelet: async () => kubelet });
    const { manager, cgroups, paths } = machine;
    await manager.start();
    await create(cgroups);
    kubelet = { pid: 7 };
    await collectWith(machine);
    expect(paths()).toContain(orphan);
    kubelet = undefined;
    await collectWith(machine);
    expect(paths()).not.toContain(orphan);
    await manager.stop();
  });

  it('stays if the cgroups of pods could not be locked', async () => {
    const machine = node({}, { change: () => ({ lock: () => failing('EROFS') }) });
    const { manager, cgroups, paths, logger } = machine;
    await manager.start();
    await create(cgroups);
    await collectWith(machine);
    expect(paths()).toContain(orphan);
    expect(logger.messages('warn')[0]).toContain('cannot lock the cgroups of pods');
    await manager.stop();
  });
});

describe('a second user of the same cgroups', () => {
  it('that is an agent is refused until the first one has stopped', async () => {
    const holders = new Set<string>();
    const lock: CgroupFiles['lock'] = async (path, heldBy) => {
      if (holders.has(path)) throw heldBy({ pid: 12, isInOtherNamespace: false });
      holders.add(path);
      return () => holders.delete(path);
    };
    const first = node({}, { change: () => ({ lock }) });
    const second = node({}, { change: () => ({ lock }) });
    const other = node({ cgroupRoot: ['edge'] }, { change: () => ({ lock }) });
    await first.manager.start();
    await expect(second.manager.start()).rejects.toMatchObject({
      code: 'CgroupRootInUse',
      message: '--cgroup-root: the cgroup "/kubepods" is in use by another agent, process 12',
      hint: expect.stringContaining('--cgroup-root'),
    });
    expect(second.manager.isEnabled).toBe(false);
    await other.manager.start();
    await first.manager.stop();
    await second.manager.start();
    expect(second.manager.isEnabled).toBe(true);
    await Promise.all([second.manager.stop(), other.manager.stop()]);
    expect(holders).toEqual(new Set());
  });

  it('that is a kubelet is recognised before a cgroup is created', async () => {
    const { manager, paths } = node({ findKubelet: async () => ({ pid: 7 }) });
    await expect(manager.start()).rejects.toThrow('--cgroup-root: the cgroup "/kubepods" is in use by a kubelet, process 7');
    expect(paths()).toEqual([]);
  });
});

it('retries the limit of all pods every minute', async () => {
  let isBusy = false;
  const { manager, recorder, clock } = node(
    {},
    {
      change: ({ write }) => ({
        write: (path, value) => (isBusy && path.endsWith('/kubepods/memory.max') ? failing('EBUSY') : write(path, value)),
      }),
    },
  );
  await manager.start();
  await clock.settle();
  await manager.stop();
  isBusy = true;
  recorder.clear();
  await manager.start();
  await clock.settle();
  expect(recorder.lines).toEqual([
    expect.stringMatching(/^Warning FailedNodeAllocatableEnforcement Failed to update Node Allocatable Limits "\/kubepods": /),
  ]);
  isBusy = false;
  await clock.advance(60_000);
  expect(recorder.lines.at(-1)).toBe('Normal NodeAllocatableEnforced Updated Node Allocatable limit across pods');
  await manager.stop();
});

it('logs a warning and leaves pods without cgroups where they cannot be written', async () => {
  const { manager, logger, recorder } = node({}, { change: () => ({ mkdir: () => failing('EROFS') }) });
  await manager.start();
  await manager.start();
  expect(manager.isEnabled).toBe(false);
  expect(logger.messages()).toEqual([expect.stringContaining('cgroups cannot be written')]);
  expect(recorder.lines).toEqual([]);
  await manager.updateQosCgroups();
});

describe('reserved cgroups', () => {
  const options = { enforceNodeAllocatable: ['pods', 'system-reserved'], systemReservedCgroup: ['system'] } as const;

  it('get their limits', async () => {
    const { manager, cgroups, recorder } = node(options);
    await cgroups.create(['system']);
    await manager.start();
    expect(await cgroups.read(['system'])).toMatchObject({ memory: 1n << 30n });
    expect(recorder.lines).toContain('Normal NodeAllocatableEnforced Updated limits on system reserved cgroup /system');
    await manager.stop();
  });

  it('must exist', async () => {
    const { manager, recorder } = node(options);
    const message = 'Failed to enforce System Reserved Cgroup Limits on "/system": "/system" cgroup does not exist';
    await expect(manager.start()).rejects.toMatchObject({ code: 'NodeAllocatableEnforcementFailed', message });
    expect(recorder.lines).toEqual([`Warning FailedNodeAllocatableEnforcement ${message}`]);
  });

  it('must be named', async () => {
    const { manager } = node({ enforceNodeAllocatable: ['kube-reserved'] });
    await expect(manager.start()).rejects.toThrow('kubeReservedCgroup must be a cgroup if kube-reserved is enforced');
  });
});

describe('kernel settings', () => {
  const files = (values: Record<string, string>) => ({
    read: async (path: string) => values[path] ?? String(kernelSettings[path]),
    write: async (path: string, text: string) => {
      values[path] = text;
    },
  });

  it('are set', async () => {
    const values = { 'vm/overcommit_memory': '0\n', 'kernel/panic': '0\n' };
    const { manager, logger } = node({ kernelSettings: files(values) });
    await manager.start();
    expect(values).toEqual({ 'vm/overcommit_memory': '1', 'kernel/panic': '10' });
    expect(logger.messages().join()).toContain('kernel settings changed');
    await manager.stop();
  });

  it('stay as they are where they cannot be written', async () => {
    const read = async () => '7';
    const { manager, logger } = node({ kernelSettings: { read, write: () => failing('EROFS') } });
    await manager.start();
    expect([manager.isEnabled, logger.messages()]).toEqual([true, [expect.stringContaining('kernel settings cannot be changed')]]);
    await manager.stop();
  });

  it('are protected on request', async () => {
    const { manager } = node({ kernelSettings: files({ 'vm/panic_on_oom': '1' }), protectKernelDefaults: true });
    await expect(manager.start()).rejects.toThrow('invalid kernel flag: vm/panic_on_oom, expected value: 0, actual value: 1');
  });
});
