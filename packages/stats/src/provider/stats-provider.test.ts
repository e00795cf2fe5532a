import { dirname } from 'node:path';
import { NodeAgentError, type Pod, type Summary } from '@nodeagent/api';
import type { Container, ContainerStats, PodSandbox } from '@nodeagent/cri-api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createCgroupReader } from '../cgroup/cgroup-reader.js';
import type { FileSystems } from '../fs/file-systems.js';
import { summaryJson } from '../summary/summary-json.js';
import { layOut, staticPod, type Tree, type TreeName, webPod } from '../test-harness.js';
import type { StatsProviderOptions } from './options.js';
import { createStatsProvider } from './stats-provider.js';

const trees: Tree[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) tree.destroy();
});

const start = Date.UTC(2026, 0, 2);
const nanos = BigInt(start) * 1_000_000n;
const webPath = `kubepods/burstable/pod${webPod.uid}/${webPod.containerId}`;
const never = () => new Promise<never>(() => {});

function sandbox(id: string, uid: string, name: string): PodSandbox {
  const metadata = { name, namespace: 'default', uid, attempt: 0 };
  return { id, metadata, state: 'SANDBOX_READY', createdAt: nanos, labels: {}, annotations: {}, runtimeHandler: '' };
}

function container(id: string, podSandboxId: string, name: string): Container {
  return {
    id,
    podSandboxId,
    metadata: { name, attempt: 0 },
    image: { image: `${name}:1` } as Container['image'],
    imageRef: '',
    state: 'CONTAINER_RUNNING',
    createdAt: nanos,
    labels: {},
    annotations: {},
    imageId: '',
  };
}

function stats(id: string, usedBytes: bigint): ContainerStats {
  return {
    attributes: { id, labels: {}, annotations: {} },
    cpu: { timestamp: nanos, usageCoreNanoSeconds: { value: 99n } },
    memory: { timestamp: nanos, workingSetBytes: { value: 77n }, usageBytes: { value: 88n } },
    writableLayer: { timestamp: nanos, fsId: { mountpoint: '/layers' }, usedBytes: { value: usedBytes }, inodesUsed: { value: 9n } },
  };
}

const fileSystem = { capacityBytes: 1000n, availableBytes: 300n, usedBytes: 600n, inodes: 100n, inodesFree: 40n };

/** A recorded node with its two pods, on a runtime and file systems whose calls a test may replace. */
function setUp(overrides: Partial<StatsProviderOptions> = {}, name: TreeName = 'v2-cgroupfs') {
  const tree = layOut(name);
  trees.push(tree);
  const clock = createVirtualClock({ start });
  const logger = createRecordingLogger();
  const calls: string[] = [];
  const answer =
    <T>(call: string, value: T) =>
    async () => {
      calls.push(call);
      return value;
    };
  const cri = {
    listContainers: answer('listContainers', {
      containers: [container(webPod.containerId, webPod.sandboxId, 'web'), container(staticPod.containerId, staticPod.sandboxId, 'etcd')],
    }),
    listPodSandbox: answer('listPodSandbox', {
      items: [sandbox(webPod.sandboxId, webPod.uid, 'web'), sandbox(staticPod.sandboxId, staticPod.uid, 'etcd')],
    }),
    listContainerStats: answer('listContainerStats', { stats: [stats(webPod.containerId, 100n), stats(staticPod.containerId, 200n)] }),
  };
  const image = {
    imageFsInfo: answer('imageFsInfo', {
      imageFilesystems: [{ timestamp: nanos, fsId: { mountpoint: '/images' }, usedBytes: { value: 5n }, inodesUsed: { value: 6n } }],
      containerFilesystems: [],
    }),
  };
  const fileSystems: FileSystems = {
    usage: async () => fileSystem,
    filesIn: async () => ({ bytes: 512n, inodes: 1n }),
    file: async () => ({ bytes: 4096n, inodes: 1n }),
  };
  const reader = createCgroupReader({ ...tree.roots, clock });
  const provider = createStatsProvider({ nodeName: 'n1', cri: { runtime: cri, image }, reader, fileSystems, clock, logger, ...overrides });
  const { signal } = new AbortController();
  const ask = (fresh = true) => clock.run(provider.summary({ fresh, signal }));
  return { tree, clock, logger, calls, cri, fileSystems, reader, provider, ask, signal };
}

const podOf = (summary: Summary, uid: string) => summary.pods.find(({ podRef }) => podRef.uid === uid);
const webOf = (summary: Summary) => podOf(summary, webPod.uid)?.containers[0];

describe('the summary of a node', () => {
  it('has CPU, memory, swap and pressure from cgroups, and disk usage from the runtime', async () => {
    const { ask } = setUp();
    const pod = podOf(await ask(), webPod.uid);
    expect(pod?.containers[0]).toMatchObject({
      name: 'web',
      startTime: '2026-01-02T00:00:00Z',
      cpu: { time: '2026-01-02T00:00:00Z', usageCoreNanoSeconds: 28_000_011_000n, usageNanoCores: 0n, psi: { some: { avg10: 1.25 } } },
      memory: { workingSetBytes: 7_200_501n, availableBytes: 268_435_456n - 7_200_501n, rssBytes: 4_000_123n },
      swap: { swapUsageBytes: 4096n, swapAvailableBytes: 1_044_480n },
      io: { psi: { full: { avg300: 9.99 } } },
      rootfs: { usedBytes: 100n, inodesUsed: 9n, capacityBytes: 1000n, availableBytes: 300n, inodes: 100n, inodesFree: 40n },
      logs: { usedBytes: 512n, inodesUsed: 1n, capacityBytes: 1000n },
    });
    expect(pod).toMatchObject({
      podRef: { name: 'web', namespace: 'default', uid: webPod.uid },
      memory: { usageBytes: 16_500_579n },
      network: { name: 'eth0', rxBytes: 5000n, txBytes: 7000n, interfaces: [{ name: 'eth0' }] },
      process_stats: { process_count: 3n },
      'ephemeral-storage': { usedBytes: 100n + 512n + 512n + 4096n, inodesUsed: 9n + 1n + 1n + 1n, capacityBytes: 1000n },
    });
  });

  it("searches for a process in a pod's network namespace once a minute, and when the known one has exited", async () => {
    const { ask, reader, clock } = setUp();
    const processes = reader.processes.bind(reader);
    const interfaces = reader.interfaces.bind(reader);
    let searches = 0;
    let exited = 0;
    reader.processes = (path) => {
      if (path.includes(webPod.sandboxId)) searches++;
      return processes(path);
    };
    reader.interfaces = (pid) => (exited-- > 0 && pid !== undefined ? undefined : interfaces(pid));
    const received = async () => [podOf(await ask(), webPod.uid)?.network?.rxBytes, searches];
    expect(await received()).toEqual([5000n, 1]);
    await clock.advance(59_999);
    expect(await received()).toEqual([5000n, 1]);
    exited = 2;
    expect(await received()).toEqual([5000n, 2]);
    await clock.advance(60_000);
    expect(await received()).toEqual([5000n, 3]);
  });

  it('has the node, its file systems, its processes and the cgroup of all pods', async () => {
    const { ask } = setUp();
    const { node } = await ask();
    expect(node).toMatchObject({
      nodeName: 'n1',
      startTime: '2026-01-01T00:00:00Z',
      memory: { workingSetBytes: 150_000_501n, availableBytes: 16_384_000n * 1024n - 150_000_501n },
      network: { name: 'eth0', rxErrors: 1n, interfaces: [{ name: 'eth0' }, { name: 'eth1' }] },
      fs: { capacityBytes: 1000n, availableBytes: 300n, usedBytes: 600n, inodes: 100n, inodesFree: 40n, inodesUsed: 60n },
      runtime: { imageFs: { usedBytes: 5n, inodesUsed: 6n, capacityBytes: 1000n }, containerFs: { usedBytes: 5n } },
      rlimit: { maxpid: 127_432n, curproc: 317n },
    });
    expect(node.systemContainers).toMatchObject([{ name: 'pods', memory: { availableBytes: 15_728_640_000n - 36_000_501n } }]);
  });

  it('reads the systemd layout as well', async () => {
    const { ask } = setUp({ systemContainers: { kubelet: '/system.slice/kubelet.service', misc: '/missing' } }, 'v2-systemd');
    const summary = await ask();
    expect(webOf(summary)?.memory?.workingSetBytes).toBe(7_200_501n);
    expect(summary.node.systemContainers?.map(({ name }) => name).sort()).toEqual(['kubelet', 'pods']);
  });

  it('computes CPU rates between two passes, and keeps the last rate if the passes are too close', async () => {
    const { ask, tree, clock } = setUp();
    await ask();
    await clock.advance(10_000);
    tree.write(`${webPath}/cpu.stat`, 'usage_usec 30000011\nuser_usec 1\nsystem_usec 1\n');
    expect(webOf(await ask())?.cpu?.usageNanoCores).toBe(200_000_000n);
    await clock.advance(100);
    tree.write(`${webPath}/cpu.stat`, 'usage_usec 30000012\nuser_usec 1\nsystem_usec 1\n');
    expect(webOf(await ask())?.cpu).toMatchObject({ usageNanoCores: 200_000_000n, usageCoreNanoSeconds: 30_000_012_000n });
    await clock.advance(10_000);
    tree.write(`${webPath}/cpu.stat`, 'usage_usec 5\nuser_usec 1\nsystem_usec 1\n');
    expect(webOf(await ask())?.cpu?.usageNanoCores).toBe(0n);
  });

  it('reuses a summary for ten seconds, and a running pass, for callers that do not request a fresh one', async () => {
    const { ask, calls, clock, provider, signal } = setUp();
    await ask(false);
    expect(await ask(false)).toBe(await ask(false));
    expect(calls.filter((call) => call === 'listContainers')).toHaveLength(1);
    await clock.advance(10_000);
    const [one, two] = await clock.run(
      Promise.all([provider.summary({ fresh: false, signal }), provider.summary({ fresh: false, signal })]),
    );
    expect(one).toBe(two);
    expect(calls.filter((call) => call === 'listContainers')).toHaveLength(2);
  });

  it('starts the pass of a fresh summary after the call', async () => {
    const { calls, clock, provider, signal } = setUp();
    const [first, second, third] = await clock.run(
      Promise.all([
        provider.summary({ fresh: true, signal }),
        provider.summary({ fresh: true, signal }),
        provider.summary({ fresh: true, signal }),
      ]),
    );
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(calls.filter((call) => call === 'listContainers')).toHaveLength(2);
  });

  it('has exact integers as JSON', async () => {
    const { ask, tree } = setUp();
    tree.write(`${webPath}/memory.max`, '4611686018427387904\n');
    const text = summaryJson(await ask());
    expect(text).toContain(`"availableBytes":${4_611_686_018_427_387_904n - 7_200_501n}`);
    expect(JSON.parse(text).node.nodeName).toBe('n1');
  });
});

describe('missing stats', () => {
  it("uses the runtime's stats for a cgroup that is removed between passes", async () => {
    const { ask, tree } = setUp();
    await ask();
    tree.remove(webPath);
    const summary = await ask();
    expect(webOf(summary)?.memory).toEqual({ time: '2026-01-02T00:00:00Z', workingSetBytes: 77n, usageBytes: 88n });
    expect(podOf(summary, staticPod.uid)?.containers[0]?.memory?.workingSetBytes).toBe(3_600_501n);
  });

  it('falls back for one container only if it exits while its cgroup is read, or one of the files is truncated', async () => {
    const { ask, tree, reader } = setUp();
    const sample = reader.sample.bind(reader);
    reader.sample = (path, options) => {
      if (path.endsWith(webPod.containerId)) tree.remove(webPath);
      return sample(path, options);
    };
    const ended = await ask();
    expect(webOf(ended)?.memory?.workingSetBytes).toBe(77n);
    expect(podOf(ended, webPod.uid)?.memory?.workingSetBytes).toBeGreaterThan(0n);
    expect(podOf(ended, staticPod.uid)?.containers[0]?.memory?.workingSetBytes).toBe(3_600_501n);

    const cut = setUp();
    cut.tree.write(`${webPath}/memory.stat`, 'anon 1\nfile 2');
    const summary = await cut.ask();
    expect(webOf(summary)?.memory?.workingSetBytes).toBe(77n);
    expect(webOf(summary)?.cpu?.usageCoreNanoSeconds).toBeGreaterThan(0n);
    expect(podOf(summary, staticPod.uid)?.containers[0]?.memory?.workingSetBytes).toBe(3_600_501n);
  });

  it('rejects without the memory of the node, so that eviction does not decide on old values', async () => {
    const { ask, tree, clock } = setUp();
    await ask();
    await clock.advance(60_000);
    tree.write('memory.stat', 'anon 1\nfile 2');
    await expect(ask()).rejects.toMatchObject({ code: 'CgroupUnreadable', retryable: true });
    await expect(ask(false)).rejects.toMatchObject({ code: 'CgroupUnreadable' });
  });

  it('uses fresh values of cgroups when the stats of the runtime time out', async () => {
    const { cri, ask, clock, logger } = setUp();
    await ask();
    await clock.advance(10_000);
    cri.listContainerStats = never;
    const before = clock.now();
    const summary = await ask();
    expect(clock.now() - before).toBe(10_000);
    expect(webOf(summary)).toMatchObject({ name: 'web', memory: { workingSetBytes: 7_200_501n, time: '2026-01-02T00:00:20Z' } });
    expect(webOf(summary)?.rootfs).toBeUndefined();
    expect(logger.lines.some(({ message }) => message?.includes('does not report container stats'))).toBe(true);
  });

  it('warns once after two consecutive timeouts of the runtime, and again after the runtime has recovered', async () => {
    const { cri, ask, clock, logger } = setUp();
    const answer = cri.listContainerStats;
    const warnings: number[] = [];
    for (const isLate of [true, false, true, true, true, false, true, true]) {
      cri.listContainerStats = isLate ? never : answer;
      await clock.advance(10_000);
      await ask();
      warnings.push(logger.messages('warn').length);
    }
    expect(warnings).toEqual([0, 0, 0, 1, 1, 1, 1, 2]);
  });

  it("fails with the runtime's error, and with CRI_DEADLINE_EXCEEDED when the runtime hangs", async () => {
    const failing = setUp();
    failing.cri.listPodSandbox = () => Promise.reject(new NodeAgentError('CRI_UNAVAILABLE', 'away'));
    await expect(failing.ask()).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE' });
    const hanging = setUp();
    hanging.cri.listContainers = never;
    await expect(hanging.ask()).rejects.toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED', retryable: true });
  });

  it('omits a file system that hangs, and neither calls it again nor waits for it until it responds', async () => {
    const { ask, fileSystems, clock, logger } = setUp();
    let asked = 0;
    let answer = (_: typeof fileSystem) => {};
    fileSystems.usage = (path) => {
      if (path !== '/layers') return Promise.resolve(fileSystem);
      asked++;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    expect(webOf(await ask())?.rootfs).toEqual({ time: '2026-01-02T00:00:00Z', usedBytes: 100n, inodesUsed: 9n });
    const before = clock.now();
    expect((await ask()).node.fs?.capacityBytes).toBe(1000n);
    expect(clock.now() - before).toBe(0);
    expect(asked).toBe(1);
    answer(fileSystem);
    fileSystems.usage = async () => fileSystem;
    await clock.settle();
    expect(webOf(await ask())?.rootfs?.capacityBytes).toBe(1000n);
    expect(logger.texts('warn')).toEqual([]);
  });

  it('logs once that files have not answered for 30 s, some of many by name, and once that all answer again', async () => {
    const { ask, fileSystems, clock, logger } = setUp();
    const answers: (() => void)[] = [];
    const hang = () => new Promise<undefined>((resolve) => answers.push(() => resolve(undefined)));
    Object.assign(fileSystems, { file: hang, filesIn: hang });
    await ask();
    await clock.advance(19_000);
    await ask();
    expect(logger.texts('warn')).toEqual([]);
    await clock.advance(1_000);
    for (let summary = 0; summary < 3; summary++) await ask();
    const logs = `/var/log/pods/default_web_${webPod.uid}`;
    const named = [logs, `/var/lib/kubelet/pods/${webPod.uid}/etc-hosts`, `${logs}/web`];
    expect(logger.texts('warn')).toEqual([`file systems do not answer: ${named.join(', ')} and 3 more`]);
    for (const answer of answers) {
      expect(logger.texts('info')).toEqual([]);
      answer();
      await clock.settle();
    }
    expect(logger.texts('info')).toEqual(['the file systems answer again']);
  });

  it('omits the node file system while it hangs, so that nothing is evicted for it', async () => {
    const { ask, fileSystems } = setUp();
    fileSystems.usage = never;
    const summary = await ask();
    expect(summary.node.fs).toBeUndefined();
    expect(podOf(summary, webPod.uid)?.['ephemeral-storage']).toBeUndefined();
    expect(summary.node.memory).toBeDefined();
  });

  it('fails on an error of the file system of writable layers, but not of logs', async () => {
    const { ask, fileSystems, logger } = setUp();
    fileSystems.filesIn = () => Promise.reject(new Error('EIO'));
    expect(webOf(await ask())?.logs).toBeUndefined();
    expect(logger.texts().some((text) => text.includes('EIO'))).toBe(true);
    fileSystems.usage = () => Promise.reject(new Error('EIO'));
    await expect(ask()).rejects.toThrow('EIO');
  });

  it('caches the list of log files of a container for a minute', async () => {
    const { ask, fileSystems, clock } = setUp();
    const log = { bytes: 512n, inodes: 1n, files: [{ path: '/0.log', inode: 1 }] };
    const grown = { ...log, bytes: 1024n };
    let isRotated = false;
    let reads = 0;
    fileSystems.filesIn = async (folder) => {
      if (dirname(folder).endsWith(webPod.uid)) reads++;
      return log;
    };
    fileSystems.again = (known) => (known === log && !isRotated ? grown : undefined);
    const logsAndReads = async () => [webOf(await ask())?.logs?.usedBytes, reads];
    expect(await logsAndReads()).toEqual([512n, 1]);
    await clock.advance(10_000);
    expect(await logsAndReads()).toEqual([1024n, 1]);
    isRotated = true;
    expect(await logsAndReads()).toEqual([512n, 2]);
    isRotated = false;
    await clock.advance(59_999);
    expect(await logsAndReads()).toEqual([1024n, 2]);
    await clock.advance(1);
    expect(await logsAndReads()).toEqual([512n, 3]);
  });

  it('measures no path for a pod name that leaves the log directory', async () => {
    const { ask, cri, fileSystems } = setUp();
    const paths: string[] = [];
    fileSystems.filesIn = async (path) => void paths.push(path);
    cri.listPodSandbox = async () => ({ items: [sandbox(webPod.sandboxId, webPod.uid, '../../etc')] });
    await ask();
    expect(paths).toEqual([]);
  });

  it('cancels a pass when its last caller aborts, and rejects with the reason', async () => {
    const { cri, provider, clock } = setUp();
    let seen: AbortSignal | undefined;
    cri.listContainers = ((_: object, { signal }: { signal: AbortSignal }) => {
      seen = signal;
      return never();
    }) as unknown as typeof cri.listContainers;
    const controller = new AbortController();
    const asked = provider.summary({ fresh: true, signal: controller.signal });
    await clock.settle();
    controller.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await clock.settle();
    expect(seen?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('other sources', () => {
  it('uses the pod stats of the runtime, or cgroups if the runtime has none', async () => {
    const attributes = { id: webPod.sandboxId, labels: {}, annotations: {} };
    const cpu = { timestamp: nanos, usageCoreNanoSeconds: { value: 5n }, usageNanoCores: { value: 6n } };
    const process = { timestamp: nanos, processCount: { value: 7n } };
    const linux = { cpu, process, containers: [stats(webPod.containerId, 1n)] };
    const { cri } = setUp();
    const listed = setUp({
      source: 'cri-pods',
      cri: { runtime: { ...cri, listPodSandboxStats: async () => ({ stats: [{ attributes, linux }] }) } },
    });
    const summary = await listed.ask();
    expect(summary.pods).toHaveLength(1);
    expect(summary.pods[0]).toMatchObject({ cpu: { usageNanoCores: 6n }, process_stats: { process_count: 7n } });
    expect(webOf(summary)?.memory?.workingSetBytes).toBe(77n);

    const refusing = () => Promise.reject(new NodeAgentError('CRI_UNIMPLEMENTED', 'unknown method'));
    const refused = setUp({ source: 'cri-pods', cri: { runtime: { ...cri, listPodSandboxStats: refusing } } });
    expect(webOf(await refused.ask())?.memory?.workingSetBytes).toBe(7_200_501n);
  });

  it('measures the pods of the pod statuses by their cgroups only', async () => {
    const running = { running: { startedAt: '2026-01-01T12:00:00Z' } };
    const pod = {
      metadata: { name: 'web', namespace: 'default', uid: webPod.uid },
      spec: { containers: [] },
      status: {
        startTime: '2026-01-01T11:00:00Z',
        containerStatuses: [
          { name: 'web', containerID: `cri-o://${webPod.containerId}`, state: running },
          { name: 'exited', containerID: `cri-o://${'9'.repeat(64)}`, state: running },
        ],
      },
    } as unknown as Pod;
    const unstarted = { metadata: { name: 'new', uid: 'x' }, spec: { containers: [] }, status: {} } as unknown as Pod;
    const { ask } = setUp({ source: 'cgroup', cri: undefined, pods: () => [pod, unstarted] });
    const { pods, node } = await ask();
    expect(pods).toMatchObject([{ startTime: '2026-01-01T11:00:00Z', containers: [{ name: 'web', startTime: '2026-01-01T12:00:00Z' }] }]);
    expect(pods[0]?.containers).toHaveLength(1);
    expect(pods[0]?.network?.rxBytes).toBeUndefined();
    expect(node.runtime).toBeUndefined();
  });

  it.each([
    [{ nodeName: '' }, 'nodeName'],
    [{ cri: { runtime: {} } }, 'cri.runtime.listContainers'],
    [{ source: 'cgroup' as const }, 'pods'],
    [{ maxAgeMs: 0 }, 'maxAgeMs'],
  ])('rejects %j', (overrides, field) => {
    expect(() => setUp(overrides)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});

describe('pages for Prometheus', () => {
  it('/metrics/cadvisor labels cgroups with the names of their pods', async () => {
    const { provider, clock, signal } = setUp();
    const page = await clock.run(provider.containerMetrics({ signal }));
    const labels = `container="web",id="/${webPath}",image="web:1",name="${webPod.containerId}",namespace="default",pod="web"`;
    expect(page).toContain(`container_memory_working_set_bytes{${labels}} 7200501 ${start}\n`);
    expect(page).toContain(`container_cpu_usage_seconds_total{${labels},cpu="total"} 28.000011 ${start}\n`);
    expect(page).toContain(`container_fs_writes_bytes_total{${labels},device="/dev/sda"} 32768 ${start}\n`);
    expect(page).toContain('container_scrape_error 0\n');
  });

  it('/metrics/resource reports a scrape error instead of failing', async () => {
    const { provider, clock, signal, cri } = setUp();
    expect(await clock.run(provider.resourceMetrics({ signal }))).toContain(
      'pod_memory_working_set_bytes{namespace="default",pod="web"} 9000501',
    );
    await clock.advance(10_000);
    cri.listContainers = () => Promise.reject(new Error('away'));
    expect(await clock.run(provider.resourceMetrics({ signal }))).toMatch(/resource_scrape_error 1\n$/);
  });
});
