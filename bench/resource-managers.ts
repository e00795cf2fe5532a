import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, PodStatus } from '@nodeagent/api';
import { createTextFile } from '@nodeagent/api/files';
import { podUid } from '@nodeagent/api/helpers';
import { createCpuManager } from '@nodeagent/cpu-manager';
import { createDeviceManager } from '@nodeagent/device-manager';
import { createMemoryManager } from '@nodeagent/memory-manager';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { createTopologyManager } from '@nodeagent/topology-manager';

const podCount = 60;
const hour = 3_600_000;
const gib = 2 ** 30;

/** A machine of two sockets with 64 cores of two CPUs each. */
const topology = {
  cpus: Array.from({ length: 256 }, (_, cpu) => {
    const socket = cpu % 128 < 64 ? 0 : 1;
    return { cpu, core: cpu % 128, socket, numaNode: socket, uncoreCache: socket };
  }),
  numaNodes: [0, 1].map((id) => ({ id, memoryBytes: 256 * gib, hugePages: [], distances: id === 0 ? [10, 20] : [20, 10] })),
};

/** The options of a manager that keeps its state in a file. */
const inFile = (stateFile: string) => ({ stateFile, store: createTextFile(stateFile) });

/** An idle hour, in virtual time, of the CPU, memory, topology and device managers with 60 pods, each of which has two exclusive CPUs. */
export async function benchResourceManagers(report: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const clock = createVirtualClock();
  const limits = { cpu: '2', memory: '1Gi' };
  const pods = Array.from({ length: podCount }, (_, index) =>
    buildPod({ name: `p${index}`, uid: `u${index}`, containers: [{ name: 'main', resources: { limits, requests: limits } }] }),
  );
  const statuses = new Map(pods.map((pod) => [podUid(pod), runningStatus(pod)]));
  const common = { clock, activePods: () => pods };
  const cpus = createCpuManager({
    ...common,
    policy: 'static',
    topology,
    nodeAllocatableReservation: { cpu: '2' },
    ...inFile(join(folder, 'cpu_manager_state')),
    podStatus: (uid) => statuses.get(uid),
    updateContainerCpuset: async () => {},
  });
  const memory = createMemoryManager({
    activePods: common.activePods,
    policy: 'Static',
    topology,
    nodeAllocatableReservation: { memory: '1Gi' },
    reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }],
    ...inFile(join(folder, 'memory_manager_state')),
  });
  const devices = createDeviceManager({ ...common, pluginDir: join(folder, 'device-plugins'), topology });
  const manager = createTopologyManager({ policy: 'best-effort', topology, providers: { devices, cpus, memory }, clock });
  await cpus.start();
  await memory.start();
  await devices.start();
  const admission = process.cpuUsage();
  for (const pod of pods) await manager.admit({ pod });
  const admitted = process.cpuUsage(admission);
  report(`resource managers admit ${podCount} pods, 256 CPUs: ${milliseconds(admitted).toFixed(0)} ms of CPU`);
  await clock.advance(60_000);
  const before = process.cpuUsage();
  await clock.advance(hour);
  const seconds = milliseconds(process.cpuUsage(before)) / 1_000;
  const share = ((seconds / (hour / 1_000)) * 100).toFixed(4);
  report(`resource managers idle with ${podCount} pods for an hour, CPU: ${seconds.toFixed(2)} s (${share} % of a core)`);
  await Promise.all([cpus.stop(), memory.stop(), devices.stop()]);
  rmSync(folder, { recursive: true });
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;

function runningStatus(pod: Pod): PodStatus {
  const containerStatuses = (pod.spec?.containers ?? []).map(({ name }) => ({
    name,
    containerID: `containerd://${podUid(pod)}-${name}`,
    image: 'i',
    imageID: 'i',
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
  }));
  return { phase: 'Running', containerStatuses };
}
