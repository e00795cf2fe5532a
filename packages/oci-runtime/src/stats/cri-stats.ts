import type {
  ContainerStats,
  CpuUsage,
  FilesystemUsage,
  IoUsage,
  MemoryUsage,
  NetworkUsage,
  PodSandboxStats,
  SwapUsage,
} from '@nodeagent/cri-api';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { type ContainerUsage, sumUsage } from './container-usage.js';
import type { InterfaceUsage } from './network-usage.js';

/** What a sandbox uses. */
export interface SandboxUsage {
  /** Of the pod's cgroup; absent if it has none. */
  cgroup?: ContainerUsage;
  /** Absent in the network of the node. */
  interfaces?: readonly InterfaceUsage[];
}

/** A container and what it uses. */
export interface MeasuredContainer {
  record: ContainerRecord;
  /** Undefined for an exited container. */
  usage: ContainerUsage | undefined;
  /** Of the writable layer. */
  layer: FilesystemUsage | undefined;
}

/** The interface that the kubelet reports as that of the pod. */
const defaultInterface = 'eth0';

/** Converts the usage to CRI's ContainerStats. */
export function toContainerStats({ record: { id, config }, usage, layer }: MeasuredContainer, timestamp: bigint): ContainerStats {
  const attributes = {
    id,
    metadata: { name: config.metadata?.name ?? '', attempt: config.metadata?.attempt ?? 0 },
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
  };
  const stats = { attributes, ...(layer && { writableLayer: layer }) };
  if (usage === undefined) return stats;
  const swap = toSwap(usage, timestamp);
  return { ...stats, ...toCpuAndMemory(usage, timestamp), ...(swap && { swap }) };
}

/** Converts the usage of a sandbox; its processes are those of its containers. */
export function toSandboxStats(
  { id, config }: SandboxRecord,
  { cgroup, interfaces }: SandboxUsage,
  containers: readonly MeasuredContainer[],
  timestamp: bigint,
): PodSandboxStats {
  const { metadata, labels = {}, annotations = {} } = config;
  const usages = containers.flatMap(({ usage }) => usage ?? []);
  const processes = usages.reduce((total, usage) => total + (usage.processes ?? 0n), 0n);
  return {
    attributes: { id, ...(metadata && { metadata }), labels, annotations },
    linux: {
      ...toCpuAndMemory(cgroup ?? sumUsage(usages), timestamp),
      ...(interfaces && { network: toNetwork(interfaces, timestamp) }),
      process: { timestamp, processCount: { value: processes } },
      containers: containers.map((container) => toContainerStats(container, timestamp)),
    },
  };
}

function toCpuAndMemory(usage: ContainerUsage, timestamp: bigint): { cpu: CpuUsage; memory: MemoryUsage; io?: IoUsage } {
  const { cpuNanos, memoryBytes, workingSetBytes, rssBytes, memoryLimitBytes, pageFaults, majorPageFaults, pressure } = usage;
  return {
    cpu: { timestamp, usageCoreNanoSeconds: { value: cpuNanos }, ...(pressure?.cpu && { psi: pressure.cpu }) },
    memory: {
      timestamp,
      workingSetBytes: { value: workingSetBytes },
      usageBytes: { value: memoryBytes },
      rssBytes: { value: rssBytes },
      ...(memoryLimitBytes !== undefined && { availableBytes: { value: atLeastZero(memoryLimitBytes - workingSetBytes) } }),
      ...(pageFaults !== undefined && { pageFaults: { value: pageFaults } }),
      ...(majorPageFaults !== undefined && { majorPageFaults: { value: majorPageFaults } }),
      ...(pressure?.memory && { psi: pressure.memory }),
    },
    ...(pressure?.io && { io: { timestamp, psi: pressure.io } }),
  };
}

function toSwap({ swapBytes }: ContainerUsage, timestamp: bigint): SwapUsage | undefined {
  return swapBytes === undefined ? undefined : { timestamp, swapUsageBytes: { value: swapBytes } };
}

function toNetwork(interfaces: readonly InterfaceUsage[], timestamp: bigint): NetworkUsage {
  const converted = interfaces.map(({ name, receive, transmit }) => ({
    name,
    rxBytes: { value: receive.bytes },
    rxErrors: { value: receive.errors },
    txBytes: { value: transmit.bytes },
    txErrors: { value: transmit.errors },
  }));
  const first = converted.find(({ name }) => name === defaultInterface);
  return { timestamp, ...(first && { defaultInterface: first }), interfaces: converted.filter((each) => each !== first) };
}

const atLeastZero = (value: bigint) => (value > 0n ? value : 0n);
