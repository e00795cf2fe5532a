import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@nodeagent/api';
import type { Container, ContainerStats, PodSandbox } from '@nodeagent/cri-api';
import { containerMetrics, type MeasuredCgroup, resourceMetrics, summaryJson } from '@nodeagent/stats';
import { createCgroupReader, createStatsProvider } from '@nodeagent/stats/node';

const pods = 250;
const containersPerPod = 2;
const rounds = 96;

/** What a pass over a node with 500 containers costs, and the pages made of it. Its cgroups lie in memory, as real ones do. */
export async function benchStats(report: (line: string) => void): Promise<void> {
  const node = layOutNode();
  try {
    const reader = createCgroupReader({ root: join(node.dir, 'sys/fs/cgroup'), proc: join(node.dir, 'proc') });
    const provider = createStatsProvider({
      nodeName: 'bench',
      cri: { runtime: node.cri },
      reader,
      rootDir: node.dir,
      podLogsDir: join(node.dir, 'logs'),
    });
    const { signal } = new AbortController();
    const fresh = () => provider.summary({ fresh: true, signal });
    const summary = await fresh();
    const name = `${pods * containersPerPod} containers`;
    const pass = await median(fresh);
    report(`stats pass over ${name}: ${pass.milliseconds.toFixed(1)} ms`);
    report(`stats pass over ${name}, fastest: ${pass.fastest.toFixed(1)} ms`);
    report(`stats pass over ${name}, CPU: ${pass.cpuMs.toFixed(1)} ms`);
    report(`stats pass over ${name}, allocated: ${(pass.bytes / 1e6).toFixed(2)} MB`);
    const json = await median(async () => summaryJson(summary));
    report(`stats summary as JSON, ${name}: ${json.milliseconds.toFixed(1)} ms`);
    const resource = await median(async () => resourceMetrics(summary));
    report(`stats page /metrics/resource, ${name}: ${resource.milliseconds.toFixed(1)} ms`);
    const cgroups = measured(reader, node.containerIds);
    const text = await median(async () => containerMetrics({ cgroups }));
    report(`stats page /metrics/cadvisor, ${name}: ${text.milliseconds.toFixed(1)} ms`);
    report(`stats page /metrics/cadvisor, ${name}, CPU: ${text.cpuMs.toFixed(1)} ms`);
  } finally {
    rmSync(node.dir, { recursive: true, force: true });
  }
}

interface Round {
  milliseconds: number;
  cpuMs: number;
  bytes: number;
  isCollected: boolean;
}

interface Cost extends Omit<Round, 'isCollected'> {
  /** The shortest round. */
  fastest: number;
}

/** Medians; `bytes` is that of rounds in which no garbage was collected, for only then the heap grew by what was allocated. */
async function median(work: () => Promise<unknown>): Promise<Cost> {
  const costs: Round[] = [];
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let round = 0; round < rounds; round++) {
    collections = 0;
    const before = process.memoryUsage().heapUsed;
    const cpu = process.cpuUsage();
    const start = performance.now();
    await work();
    const milliseconds = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    const bytes = process.memoryUsage().heapUsed - before;
    // Node.js reports collections a turn of the event loop later.
    await setImmediate();
    if (round >= rounds / 4) costs.push({ milliseconds, cpuMs: (user + system) / 1000, bytes, isCollected: collections > 0 });
  }
  observer.disconnect();
  const middle = (pick: (cost: Round) => number, of = costs) => {
    const sorted = of.map(pick).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const uncollected = costs.filter(({ isCollected }) => !isCollected);
  return {
    milliseconds: middle((cost) => cost.milliseconds),
    fastest: Math.min(...costs.map(({ milliseconds }) => milliseconds)),
    cpuMs: middle((cost) => cost.cpuMs),
    bytes: middle((cost) => cost.bytes, uncollected),
  };
}

function measured(reader: ReturnType<typeof createCgroupReader>, ids: string[]): MeasuredCgroup[] {
  const paths = reader.find(ids);
  return ids.flatMap((id) => {
    const path = paths.containers.get(id) ?? '';
    const sample = reader.sample(path, { processes: true, detail: true });
    const labels = { container: 'main', id: path, image: 'registry.example/app:1', name: id, namespace: 'default', pod: 'web' };
    return sample === undefined ? [] : [{ labels, sample, createdAt: 0 }];
  });
}

/** The recorded node's pod of cgroup v2 and systemd, as often as wanted, in a folder in memory where there is one. */
function layOutNode() {
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'nodeagent-bench-'));
  const fixture = fileURLToPath(new URL('../packages/stats/fixtures/v2-systemd.txt', import.meta.url));
  for (const part of readFileSync(fixture, 'utf8').split(/^=== /m).slice(1)) {
    const end = part.indexOf('\n');
    const file = join(dir, part.slice(0, end));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, part.slice(end + 1));
  }
  const burstable = join(dir, 'sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice');
  const recordedPod = join(burstable, 'kubepods-burstable-pod8f14e45f_ceea_467f_a0e6_9d2f1c3b5a77.slice');
  const recorded = join(recordedPod, `cri-containerd-${'1c'.repeat(32)}.scope`);
  const timestamp = BigInt(Math.floor(systemClock.now())) * 1_000_000n;
  const containers: Container[] = [];
  const sandboxes: PodSandbox[] = [];
  const stats: ContainerStats[] = [];
  for (let pod = 0; pod < pods; pod++) {
    const uid = `00000000-0000-4000-8000-${String(pod).padStart(12, '0')}`;
    const folder = join(burstable, `kubepods-burstable-pod${uid.replaceAll('-', '_')}.slice`);
    const sandboxId = idOf('5', pod);
    cpSync(recordedPod, folder, { recursive: true, filter: (source) => !source.includes('.scope') });
    cpSync(recorded, join(folder, `cri-containerd-${sandboxId}.scope`), { recursive: true });
    writeFileSync(join(folder, `cri-containerd-${sandboxId}.scope`, 'cgroup.procs'), '501\n');
    const podDir = join(dir, 'pods', uid);
    mkdirSync(podDir, { recursive: true });
    writeFileSync(join(podDir, 'etc-hosts'), '127.0.0.1 localhost\n');
    const metadata = { name: `web-${pod}`, namespace: 'default', uid, attempt: 0 };
    sandboxes.push({
      id: sandboxId,
      metadata,
      state: 'SANDBOX_READY',
      createdAt: timestamp,
      labels: {},
      annotations: {},
      runtimeHandler: '',
    });
    for (let index = 0; index < containersPerPod; index++) {
      const id = idOf('c', pod * containersPerPod + index);
      const name = `c${index}`;
      cpSync(recorded, join(folder, `cri-containerd-${id}.scope`), { recursive: true });
      const logs = join(dir, 'logs', `default_web-${pod}_${uid}`, name);
      mkdirSync(logs, { recursive: true });
      writeFileSync(join(logs, '0.log'), 'hello\n');
      containers.push({
        id,
        podSandboxId: sandboxId,
        metadata: { name, attempt: 0 },
        imageRef: '',
        imageId: '',
        state: 'CONTAINER_RUNNING',
        createdAt: timestamp,
        labels: {},
        annotations: {},
      });
      const writableLayer = { timestamp, fsId: { mountpoint: dir }, usedBytes: { value: 4096n }, inodesUsed: { value: 3n } };
      stats.push({ attributes: { id, labels: {}, annotations: {} }, writableLayer });
    }
  }
  const cri = {
    listContainers: async () => ({ containers }),
    listPodSandbox: async () => ({ items: sandboxes }),
    listContainerStats: async () => ({ stats }),
  };
  return { dir, cri, containerIds: containers.map(({ id }) => id) };
}

const idOf = (prefix: string, index: number) =>
  (prefix + index.toString(16)).padEnd(64, 'e').slice(0, 64).replace(/e{4}$/, String(index).padStart(4, '0'));
