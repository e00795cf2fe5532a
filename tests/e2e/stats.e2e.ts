import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerStats, StatsProvider } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createCriClient } from '@nodeagent/cri-client';
import { containerMetrics } from '@nodeagent/stats';
import { createCgroupReader, createStatsProvider } from '@nodeagent/stats/node';
import { buildPod, createManualSource } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { cleanUpAfterAll, endPods } from '../support/cleanup.js';
import { removeFolder } from '../support/remove-folder.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const heldBytes = 64 * 2 ** 20;

/** Holds 64 MiB and burns a fifth of a core: limited to it, so that it is the same on every machine. */
const script = `head -c ${heldBytes} /dev/zero > /held/zeros; while :; do :; done`;

/** The usage in the files of the container's cgroup, read without the package's code. */
function filesOf(containerPath: string) {
  const number = (file: string) => Number(readFileSync(file, 'utf8').trim());
  const line = (file: string, key: string) => Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(readFileSync(file, 'utf8'))?.[1]);
  const root = '/sys/fs/cgroup';
  const isV2 = createCgroupReader().version() === 2;
  const folder = isV2 ? `${root}${containerPath}` : `${root}/memory${containerPath}`;
  const usage = number(isV2 ? `${folder}/memory.current` : `${folder}/memory.usage_in_bytes`);
  const inactive = line(`${folder}/memory.stat`, isV2 ? 'inactive_file' : 'total_inactive_file');
  const cpuNanos = isV2 ? line(`${folder}/cpu.stat`, 'usage_usec') * 1000 : number(`${root}/cpuacct${containerPath}/cpuacct.usage`);
  return { workingSet: usage - inactive, cpuNanos, at: performance.now() };
}

describeOnRuntimes('stats', ['2', '1.6'], (testRuntime) => {
  const source = createManualSource([], { name: 'api' });
  const { signal } = new AbortController();
  let runtime: PrivateRuntime;
  let work: string;
  let cri: ReturnType<typeof createCriClient>;
  let agent: NodeAgent;
  let stats: StatsProvider;

  const containerOf = async (): Promise<ContainerStats | undefined> => {
    const { pods } = await stats.summary({ fresh: true, signal });
    return pods.find(({ podRef }) => podRef.name === 'busy')?.containers[0];
  };
  const idOf = async () =>
    (await cri.runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } })).containers[0]?.id ?? '';
  const isWithin = (measured: number, real: number, share: number) => Math.abs(measured - real) <= share * real;

  beforeAll(async () => {
    runtime = await testRuntime.start();
    work = mkdtempSync(join(tmpdir(), 'nodeagent-stats-'));
    cri = createCriClient({ endpoint: runtime.endpoint });
    const rootDir = join(work, 'root');
    const podLogsDir = join(work, 'logs');
    agent = createNodeAgent({ nodeName: 'stats', sources: [source], cri, rootDir, podLogsDir });
    stats = createStatsProvider({ nodeName: 'stats', cri, rootDir, podLogsDir });
    await agent.start();
    await agent.ready;
    source.set([
      buildPod({
        name: 'busy',
        terminationGracePeriodSeconds: 0,
        volumes: [{ name: 'held', emptyDir: { medium: 'Memory' } }],
        containers: [
          {
            name: 'c',
            image: testImage,
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', script],
            resources: { limits: { cpu: '200m', memory: '256Mi' } },
            volumeMounts: [{ name: 'held', mountPath: '/held' }],
          },
        ],
      }),
    ]);
    await until('the container to hold its memory', async () => Number((await containerOf())?.memory?.workingSetBytes) > heldBytes);
  });

  cleanUpAfterAll({
    'the pods': () => agent && endPods(agent),
    'the agent': () => agent?.stop(),
    'the CRI client': () => cri?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => removeFolder(work),
  });

  it('reports the CPU and the working set of the cgroup files', async () => {
    const id = await idOf();
    const path = createCgroupReader().find([id]).containers.get(id) ?? '';
    await containerOf();
    const first = filesOf(path);
    await sleep(10_000);
    const measured = await containerOf();
    const last = filesOf(path);
    const cores = ((last.cpuNanos - first.cpuNanos) / (last.at - first.at)) * 1e3;
    expect(measured?.memory?.time && Math.abs((parseTime(measured.memory.time) ?? 0) - Date.now()) < 5_000).toBe(true);
    const measuredText = `${measured?.cpu?.usageNanoCores} nanocores and ${measured?.memory?.workingSetBytes} bytes`;
    const real = `${Math.round(cores)} and ${last.workingSet}`;
    expect(isWithin(Number(measured?.cpu?.usageNanoCores), cores, 0.1), `${measuredText}, but the files have ${real}`).toBe(true);
    expect(isWithin(Number(measured?.memory?.workingSetBytes), last.workingSet, 0.05), `${measuredText}, but the files have ${real}`).toBe(
      true,
    );
    expect(last.workingSet).toBeGreaterThan(heldBytes);
    expect(cores).toBeLessThan(0.25e9);
  });

  it('knows the pod, its limit, its network, its disk and its node', async () => {
    const summary = await stats.summary({ fresh: true, signal });
    const pod = summary.pods.find(({ podRef }) => podRef.name === 'busy');
    const memory = pod?.containers[0]?.memory;
    expect(Number(memory?.availableBytes) + Number(memory?.workingSetBytes)).toBe(256 * 2 ** 20);
    expect(Number(pod?.memory?.workingSetBytes)).toBeGreaterThanOrEqual(heldBytes);
    expect(pod?.network?.name).toBe('eth0');
    expect(pod?.process_stats?.process_count).toBe(1n);
    expect(pod?.['ephemeral-storage']?.capacityBytes).toBe(summary.node.fs?.capacityBytes);
    expect(pod?.containers[0]?.rootfs?.capacityBytes).toBeGreaterThan(0n);
    expect(Number(summary.node.memory?.availableBytes)).toBeGreaterThan(heldBytes);
    expect(Number(summary.node.runtime?.imageFs?.usedBytes)).toBeGreaterThan(0);
  });

  it('reports the same as Prometheus metrics', async () => {
    const page = await stats.containerMetrics({ signal });
    expect(page).toMatch(
      /^container_memory_working_set_bytes\{container="c",id="[^"]+",image="[^"]*busybox[^"]*",[^}]*pod="busy"\} \d{8,} \d+$/m,
    );
    expect(page).toMatch(/^container_network_receive_bytes_total\{[^}]*pod="busy",interface="eth0"\} \d+ \d+$/m);
    expect(page.length).toBeGreaterThan(containerMetrics({ cgroups: [] }).length);
    expect(await stats.resourceMetrics({ signal })).toMatch(/^pod_cpu_usage_seconds_total\{namespace="default",pod="busy"\} [\d.]+ \d+$/m);
  });
});
