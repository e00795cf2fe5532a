import { NodeAgentError, type Pod } from '@nodeagent/api';
import { createMemoryCgroups, type MemoryCgroups } from '@nodeagent/cgroups/memory';
import { createMemoryFiles } from '@nodeagent/runtime-manager';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { memoryHost, smallMachine } from './host/memory-host.js';
import { createMemoryPodDirs } from './host/memory-pod-dirs.js';
import { createTestAgent, type TestAgentOptions, testMachine } from './test-agent.js';
import { createCgroups } from './third-party/test-small-parts.js';

type Resources = NonNullable<NonNullable<Pod['spec']>['containers'][number]['resources']>;

const podWith = (name: string, resources: Resources = {}, spec: Partial<Pod['spec']> = {}) => {
  const pod = buildPod({ name, uid: name, containers: [{ name: 'main', image: 'busybox:1', resources }] });
  return { ...pod, spec: { ...pod.spec, ...spec } } as Pod;
};
const burstable = podWith('burstable', { requests: { cpu: '500m' } });
const guaranteed = podWith('guaranteed', { limits: { cpu: '1', memory: '64Mi' } });
const bestEffort = podWith('besteffort');

/** An agent whose pods have cgroups in memory. */
function node(pods: Pod[], { cgroups = createMemoryCgroups(), ...options }: TestAgentOptions & { cgroups?: MemoryCgroups } = {}) {
  const files = createMemoryFiles();
  const host = { files, podDirs: createMemoryPodDirs(files), cgroups: cgroups.files, ...testMachine };
  const settings = { resolvConf: '', cgroupsPerQOS: true, ...options.settings };
  const agent = createTestAgent(pods, { host, ...options, settings });
  const parents = () => agent.memory.calls.filter(({ method }) => method === 'runPodSandbox').map(({ request }) => cgroupParent(request));
  const podPaths = () => cgroups.paths().filter((path) => path.includes('/pod'));
  return { ...agent, cgroups, parents, podPaths };
}

const cgroupParent = (request: unknown) => (request as { config: { linux: { cgroupParent: string } } }).config.linux.cgroupParent;

it('a pod of each QoS class runs in its cgroup, which is removed with it', async () => {
  const { agent, source, clock, parents, podPaths, cgroups, removed, untilReady, events } = node([burstable, guaranteed, bestEffort]);
  await agent.start();
  for (const name of ['burstable', 'guaranteed', 'besteffort']) await untilReady(name);
  const paths = ['/kubepods/besteffort/podbesteffort', '/kubepods/burstable/podburstable', '/kubepods/podguaranteed'];
  expect([parents().sort(), podPaths()]).toEqual([paths, paths]);
  expect(cgroups.text('/kubepods/podguaranteed', 'cpu.max')).toBe('100000 100000');
  expect(cgroups.text('/kubepods/podguaranteed', 'memory.max')).toBe(String(64 << 20));
  expect(cgroups.text('/kubepods/burstable', 'cpu.weight')).toBe('20');
  const limits = { cpuShares: 1024, cpuQuota: 100_000, cpuPeriod: 100_000, memory: 64 << 20 };
  expect(agent.podCgroup('guaranteed')).toEqual({ path: '/kubepods/podguaranteed', ...limits });
  expect([agent.podCgroup('besteffort'), agent.podCgroup('none')]).toEqual([
    { path: '/kubepods/besteffort/podbesteffort', cpuShares: 2 },
    undefined,
  ]);
  expect(cgroups.text('/kubepods', 'memory.max')).toBe(String(8n << 30n));
  expect(events.map(({ reason }) => reason)).toContain('NodeAllocatableEnforced');

  source.set([guaranteed]);
  await clock.until(() => removed.length === 2);
  expect(podPaths()).toEqual(['/kubepods/podguaranteed']);
  await clock.advance(60_000);
  expect(cgroups.text('/kubepods/burstable', 'cpu.weight')).toBe('1');
  await agent.stop();
  expect(clock.pending).toBe(0);
});

it('the settings choose the root, the limits and the reservations', async () => {
  const cgroups = createMemoryCgroups({ version: 1 });
  const { agent, parents, untilReady } = node([burstable], {
    cgroups,
    settings: {
      cgroupRoot: '/edge',
      podPidsLimit: 50,
      enforceNodeAllocatable: ['pods', 'system-reserved'],
      systemReservedCgroup: '/system',
    },
    node: { systemReserved: { memory: '1Gi' } },
    runtimeOptions: { settings: { cpuCFSQuotaPeriodMs: 10 } },
  });
  await cgroups.files.mkdir('/sys/fs/cgroup/memory/system');
  for (const controller of ['cpu', 'cpuset', 'pids', 'hugetlb']) await cgroups.files.mkdir(`/sys/fs/cgroup/${controller}/system`);
  await agent.start();
  await untilReady('burstable');
  expect(parents()).toEqual(['/edge/kubepods/burstable/podburstable']);
  expect(cgroups.text('/edge/kubepods/burstable/podburstable', 'pids.max')).toBe('50');
  expect(cgroups.text('/edge/kubepods', 'memory.limit_in_bytes')).toBe(String(7n << 30n));
  expect(cgroups.text('/system', 'memory.limit_in_bytes')).toBe(String(1n << 30n));
  await agent.stop();
});

it('a reserved cgroup that is missing fails the start', async () => {
  const { agent } = node([], { settings: { enforceNodeAllocatable: ['kube-reserved'], kubeReservedCgroup: '/kube' } });
  await expect(agent.start()).rejects.toThrow('Failed to enforce Kube Reserved Cgroup Limits on "/kube": "/kube" cgroup does not exist');
  await agent.stop();
});

it('a resize in place changes the cgroup of the pod', async () => {
  const before = podWith('web', { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '64Mi' } });
  const after = podWith('web', { requests: { cpu: '150m' }, limits: { cpu: '400m', memory: '128Mi' } });
  const { agent, source, clock, untilReady, cgroups, memory } = node([before], {
    cgroups: createMemoryCgroups({ version: 1 }),
    sourceName: 'api',
  });
  const values = () =>
    ['cpu.shares', 'cpu.cfs_quota_us', 'memory.limit_in_bytes'].map((file) => cgroups.text('/kubepods/burstable/podweb', file));
  await agent.start();
  await untilReady('web');
  expect(values()).toEqual(['102', '20000', String(64 << 20)]);
  source.set([after]);
  await clock.until(() => values()[0] !== '102');
  await clock.advance(5_000);
  expect(values()).toEqual(['153', '40000', String(128 << 20)]);
  expect(memory.containers('main')).toMatchObject([{ state: 'running' }]);
  await agent.stop();
});

describe('the cgroup of a pod has the limits of a resize', () => {
  const files = ['cpu.shares', 'cpu.cfs_quota_us', 'memory.limit_in_bytes'];
  const memoryOf = (memory: string) => podWith('web', { requests: { cpu: '100m' }, limits: { cpu: '200m', memory } });

  function resizable(pod: Pod, options: TestAgentOptions = {}) {
    const started = node([pod], { cgroups: createMemoryCgroups({ version: 1 }), sourceName: 'api', ...options });
    const values = () => files.map((file) => started.cgroups.text('/kubepods/burstable/podweb', file));
    return { ...started, values };
  }

  it('before a container starts that waited in its crash back-off', async () => {
    const { agent, source, clock, memory, values } = resizable(memoryOf('100Mi'));
    const atStart: unknown[] = [];
    memory.script('main', () => {
      atStart.push(values());
      return { exit: { afterMs: 1_000, code: 1 } };
    });
    const untilWaiting = (starts: number) =>
      clock.until(() => atStart.length === starts && memory.containers('main').every(({ state }) => state === 'exited'), 300_000);
    await agent.start();
    await untilWaiting(4);
    for (const memory of ['400Mi', '200Mi', '300Mi']) {
      const starts = atStart.length;
      source.set([memoryOf(memory)]);
      await untilWaiting(starts + 1);
    }
    const limits = (mi: number) => ['102', '20000', String(mi << 20)];
    expect(atStart).toEqual([100, 100, 100, 100, 400, 200, 300].map(limits));
    await agent.stop();
  });

  it('that adds pod-level resources to a pod that had none', async () => {
    const cpu = (request: string, limit: string) => ({ requests: { cpu: request }, limits: { cpu: limit } });
    const before = podWith('web', cpu('2m', '10m'));
    const { agent, source, clock, values, untilReady } = resizable(before);
    await agent.start();
    await untilReady('web');
    expect(values().slice(0, 2)).toEqual(['2', '1000']);
    source.set([podWith('web', cpu('2m', '10m'), { resources: cpu('5m', '25m') })]);
    await clock.until(() => values()[0] !== '2');
    await clock.advance(5_000);
    expect(values().slice(0, 2)).toEqual(['5', '2500']);
    await agent.stop();
  });
});

describe('a pod', () => {
  it('whose cgroup cannot be created does not start until it can', async () => {
    const cgroups = createMemoryCgroups();
    let isFull = true;
    const { mkdir } = cgroups.files;
    const files = {
      ...cgroups.files,
      mkdir: (path: string) =>
        isFull && path.includes('/podweb') ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })) : mkdir(path),
    };
    const { agent, clock, eventLines, memory, untilReady } = node([podWith('web')], { cgroups: { ...cgroups, files } });
    await agent.start();
    await clock.until(() => eventLines('web').length > 0);
    expect(eventLines('web')).toEqual([
      'Warning FailedCreatePodContainer unable to ensure pod container exists: failed to create the cgroup of "/kubepods/besteffort/podweb": ENOSPC',
    ]);
    expect(memory.sandboxes()).toEqual([]);
    isFull = false;
    await untilReady('web');
    await agent.stop();
  });

  it('whose cgroup disappeared is killed and restarts in a new one', async () => {
    const { agent, clock, cgroups, memory, podPaths, untilReady, isReady } = node([podWith('web')]);
    await agent.start();
    await untilReady('web');
    const [first] = memory.containers('main');
    await cgroups.files.rmdir('/sys/fs/cgroup/kubepods/besteffort/podweb');
    await clock.until(
      () => memory.containers('main').some(({ id, state }) => id !== first?.id && state === 'running') && isReady('web'),
      300_000,
    );
    expect(podPaths()).toEqual(['/kubepods/besteffort/podweb']);
    await agent.stop();
  });

  it('that must not restart is killed without a new cgroup', async () => {
    const { agent, clock, cgroups, memory, podPaths, untilReady, phase } = node([podWith('job', {}, { restartPolicy: 'Never' })]);
    await agent.start();
    await untilReady('job');
    await cgroups.files.rmdir('/sys/fs/cgroup/kubepods/besteffort/podjob');
    await clock.until(() => phase('job') === 'Failed' || phase('job') === 'Succeeded', 300_000);
    expect([podPaths(), memory.containers('main').filter(({ state }) => state === 'running')]).toEqual([[], []]);
    await agent.stop();
  });
});

it('the next agent keeps the cgroup of a running pod, and removes those of pods that were removed meanwhile', async () => {
  const first = node([podWith('kept'), podWith('dropped', { requests: { cpu: '1' } })]);
  const { clock, cgroups, podPaths } = first;
  await first.agent.start();
  await first.untilReady('kept');
  await first.untilReady('dropped');
  await first.agent.stop();
  await cgroups.files.mkdir('/sys/fs/cgroup/kubepods/podleftover');
  const second = first.again([podWith('kept')]);
  await second.agent.start();
  await second.untilReady('kept');
  await clock.until(() => podPaths().length === 1, 300_000);
  expect(podPaths()).toEqual(['/kubepods/besteffort/podkept']);
  expect(first.memory.containers('main').map(({ pod, attempt, state }) => [pod, attempt, state])).toContainEqual(['kept', 0, 'running']);
  await second.agent.stop();
});

it('the next agent kills what is left of the pods that it knows, and nothing in the cgroups of pods of others', async () => {
  const first = node([podWith('own')]);
  const { clock, cgroups, podPaths } = first;
  await first.agent.start();
  await first.untilReady('own');
  cgroups.startProcess('/kubepods/besteffort/podown');
  await first.agent.stop();
  await cgroups.files.mkdir('/sys/fs/cgroup/kubepods/besteffort/podforeign');
  cgroups.startProcess('/kubepods/besteffort/podforeign');
  const second = first.again([]);
  await second.agent.start();
  await clock.advance(300_000);
  expect(podPaths()).toEqual(['/kubepods/besteffort/podforeign']);
  expect(await cgroups.files.read('/sys/fs/cgroup/kubepods/besteffort/podforeign/cgroup.procs')).toMatch(/^\d+\n$/);
  const warnings = second.logger.messages('warn').filter((text) => text.startsWith('leaving the cgroup /kubepods/besteffort/podforeign, '));
  expect(warnings).toHaveLength(1);
  await second.agent.stop();
});

it.each([
  { own: '', kubelet: '/', isRefused: true },
  { own: '/', kubelet: '/', isRefused: true },
  { own: '/edge', kubelet: '/', isRefused: false },
  { own: '/edge', kubelet: '/edge/', isRefused: true },
])('an agent with the cgroup root "$own" beside a kubelet with "$kubelet" is refused: $isRefused', async ({ own, kubelet, isRefused }) => {
  const running = { pid: 7, cgroupRoot: kubelet, runtimeEndpoint: 'unix:///run/containerd/containerd.sock', rootDir: '/var/lib/kubelet' };
  const host = { ...memoryHost(), kubelets: () => [running] };
  const { agent } = createTestAgent([], { host, settings: { resolvConf: '', cgroupsPerQOS: true, cgroupRoot: own } });
  const started = agent.start();
  if (isRefused) await expect(started).rejects.toThrow(/^--cgroup-root: the cgroup ".*kubepods" is in use by a kubelet, process 7$/);
  else await started;
  await agent.stop();
});

it('the next agent sets the values that an interrupted resize left', async () => {
  const pod = podWith('web', { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '64Mi' } });
  const first = node([pod], { cgroups: createMemoryCgroups({ version: 1 }) });
  const { clock, cgroups } = first;
  const values = () =>
    ['cpu.shares', 'cpu.cfs_quota_us', 'memory.limit_in_bytes'].map((file) => cgroups.text('/kubepods/burstable/podweb', file));
  await first.agent.start();
  await first.untilReady('web');
  const before = values();
  await first.agent.stop();
  await cgroups.files.write('/sys/fs/cgroup/cpu/kubepods/burstable/podweb/cpu.shares', '500');
  await cgroups.files.write('/sys/fs/cgroup/cpu/kubepods/burstable/podweb/cpu.cfs_quota_us', '60000');
  await cgroups.files.write('/sys/fs/cgroup/memory/kubepods/burstable/podweb/memory.limit_in_bytes', '1');
  const second = first.again([pod]);
  await second.agent.start();
  await clock.until(() => values()[0] !== '500');
  await clock.advance(1_000);
  expect(values()).toEqual(before);
  await second.agent.stop();
});

it.each(['EROFS', 'EACCES', 'EPERM'])('pods run without separate cgroups where they cannot be written: %s', async (code) => {
  const cgroups = createMemoryCgroups();
  const mkdir = () => Promise.reject(Object.assign(new Error(code), { code }));
  const { agent, logger, parents, untilReady } = node([podWith('web')], { cgroups: { ...cgroups, files: { ...cgroups.files, mkdir } } });
  await agent.start();
  await untilReady('web');
  expect(parents()).toEqual(['']);
  expect(logger.messages('warn').filter((text) => text.includes('cgroups cannot be written'))).toHaveLength(1);
  await agent.stop();
});

it('pods start once a systemd that responded late created the cgroups', async () => {
  const late = new NodeAgentError('SystemdFailed', 'failed to create slice "kubepods.slice": Connection timed out', { retryable: true });
  let responds = false;
  const create = createCgroups();
  const containerManager = () => ({ ...create, start: async () => (responds ? undefined : Promise.reject(late)) });
  const { agent, clock, logger, memory, eventLines, untilReady } = node([podWith('web')], { parts: { containerManager } });
  await clock.run(agent.start());
  expect(logger.messages('warn')).toContain('systemd does not create the cgroups of pods; the first pod sync retries');
  await clock.until(() => eventLines('web').length > 0);
  expect(eventLines('web')).toEqual([
    'Warning FailedCreatePodContainer unable to ensure pod container exists: failed to create slice "kubepods.slice": Connection timed out',
  ]);
  expect(memory.sandboxes()).toEqual([]);
  responds = true;
  await untilReady('web', 300_000);
  await agent.stop();
});

it('a cgroup that stays busy is reported, retried, and removed once it can', async () => {
  const cgroups = createMemoryCgroups();
  let isBusy = true;
  const { rmdir } = cgroups.files;
  const files = {
    ...cgroups.files,
    rmdir: (path: string) =>
      isBusy && path.endsWith('/podweb') ? Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY' })) : rmdir(path),
  };
  const { agent, source, clock, logger, podPaths, untilReady } = node([podWith('web'), podWith('other')], {
    cgroups: { ...cgroups, files },
  });
  await agent.start();
  for (const name of ['web', 'other']) await untilReady(name);
  source.set([podWith('other')]);
  await clock.advance(120_000);
  expect(podPaths()).toContain('/kubepods/besteffort/podweb');
  const errors = logger.lines.map(({ fields }) => String((fields as { err?: Error }).err?.message ?? ''));
  expect(errors).toContain('failed to remove the cgroup of "/kubepods/besteffort/podweb": EBUSY');
  isBusy = false;
  await clock.until(() => podPaths().length === 1, 300_000);
  expect(podPaths()).toEqual(['/kubepods/besteffort/podother']);
  await clock.run(agent.stop());
});

it('a runtime that responds late names its driver before the first pod starts', async () => {
  const agent = node([podWith('web')]);
  const { memory, clock, parents, untilReady } = agent;
  const fault = memory.fault({ method: 'runtimeConfig', error: 'CRI_UNAVAILABLE', times: Number.POSITIVE_INFINITY });
  await clock.run(agent.agent.start());
  await clock.advance(30_000);
  expect(memory.sandboxes()).toEqual([]);
  fault.remove();
  await untilReady('web', 300_000);
  expect(parents()).toEqual(['/kubepods/besteffort/podweb']);
  await agent.agent.stop();
});

it('a runtime that does not report its cgroup driver gets that of the settings', async () => {
  const { agent, memory, parents, untilReady } = node([podWith('web')], { settings: { cgroupDriver: 'cgroupfs' } });
  memory.fault({ method: 'runtimeConfig', error: 'CRI_UNIMPLEMENTED' });
  await agent.start();
  await untilReady('web');
  expect(parents()).toEqual(['/kubepods/besteffort/podweb']);
  await agent.stop();
});

it('a host in memory has cgroups', async () => {
  const { agent, memory, untilReady } = createTestAgent([podWith('web')], {
    host: memoryHost(),
    settings: { resolvConf: '', cgroupsPerQOS: true },
  });
  await agent.start();
  await untilReady('web');
  const { request } = memory.calls.find(({ method }) => method === 'runPodSandbox') ?? {};
  expect(cgroupParent(request)).toBe('/kubepods/besteffort/podweb');
  await agent.stop();
});

describe('the machine', () => {
  const start = async (machine: Partial<typeof smallMachine>, settings: object, setOomScoreAdj = async (_value: number) => {}) => {
    const host = { ...memoryHost({ machine: { ...smallMachine, ...machine } }), setOomScoreAdj };
    const { agent, logger } = createTestAgent([], { host, settings: { resolvConf: '', ...settings } });
    try {
      await agent.start();
    } finally {
      await agent.stop();
    }
    return logger;
  };

  it.each([
    {
      settings: { failSwapOn: true },
      machine: { swapBytes: 1n },
      message: 'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false',
    },
    {
      settings: { failCgroupV1: true },
      machine: { cgroupVersion: 1 as const },
      message:
        'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release',
    },
  ])('is rejected with $settings', async ({ settings, machine, message }) => {
    await expect(start(machine, settings)).rejects.toMatchObject({ code: 'MachineRejected', message });
    await start({}, settings);
    await start(machine, {});
  });

  it('gets the score of the agent, or logs that it cannot be set', async () => {
    const scores: number[] = [];
    await start({}, { oomScoreAdj: -999 }, async (value) => void scores.push(value));
    await start({}, {}, async (value) => void scores.push(value));
    expect(scores).toEqual([-999]);
    const logger = await start({}, { oomScoreAdj: -999 }, () => Promise.reject(new Error('EACCES')));
    expect(logger.messages('info')).toContainEqual(expect.stringContaining('the agent keeps its oom_score_adj'));
    expect(() => createTestAgent([], { settings: { oomScoreAdj: -1001 } })).toThrow(
      'settings.oomScoreAdj must be a whole number from -1000 to 1000, got -1001',
    );
  });
});

it('MemoryQoS and qosReserved set the memory of pods and QoS classes', async () => {
  const request = (memory: string, limit: string) => ({ requests: { cpu: '1', memory }, limits: { cpu: '1', memory: limit } });
  const { agent, cgroups, untilReady } = node([podWith('b', request('1Gi', '2Gi')), podWith('g', request('1Gi', '1Gi'))], {
    settings: { qosReservedMemoryPercent: 50 },
    runtimeOptions: { settings: { featureGates: { MemoryQoS: true }, memoryReservationPolicy: 'TieredReservation' } },
  });
  await agent.start();
  for (const name of ['b', 'g']) await untilReady(name);
  const gi = String(1 << 30);
  expect(cgroups.text('/kubepods', 'memory.min')).toBe(gi);
  expect(cgroups.text('/kubepods/podg', 'memory.min')).toBe(gi);
  expect(cgroups.text('/kubepods/burstable', 'memory.low')).toBe(gi);
  expect(cgroups.text('/kubepods/burstable/podb', 'memory.low')).toBe(gi);
  expect(cgroups.text('/kubepods/burstable', 'memory.max')).toBe(String(15n << 29n));
  expect(cgroups.text('/kubepods/besteffort', 'memory.max')).toBe(String(7n << 30n));
  await agent.stop();
});
