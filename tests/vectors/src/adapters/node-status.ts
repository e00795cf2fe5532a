import type { NodeCondition, ResourceList } from '@nodeagent/api';
import {
  cgroupfsPath,
  formatResourceList,
  milliCpuToQuota,
  milliCpuToShares,
  podCgroupName,
  Quantity,
  systemdPath,
} from '@nodeagent/api/helpers';
import { sharesToCpuWeight } from '@nodeagent/cgroups/decisions';
import { podCgroupResources, podsCgroupLimits } from '@nodeagent/container-manager/decisions';
import type { Threshold } from '@nodeagent/eviction';
import { evictionReserves } from '@nodeagent/eviction/decisions';
import {
  type NodeConditionsInput,
  nodeCapacity,
  nodeReservation,
  nodeSwap,
  type ReservationInput,
  setNodeConditions,
  validateReservation,
} from '@nodeagent/node-status/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

interface RecordedReservation extends Omit<ReservationInput, 'evictionReserves'> {
  hardEvictionThresholds: Omit<Threshold, 'gracePeriodSeconds'>[];
}

function reservation({ hardEvictionThresholds, ...resources }: RecordedReservation) {
  const thresholds = hardEvictionThresholds.map((threshold) => ({ ...threshold, gracePeriodSeconds: 0 }));
  const input: ReservationInput = { ...resources, evictionReserves: evictionReserves(thresholds) };
  const reserved = nodeReservation(input);
  let valid = true;
  try {
    validateReservation(input.capacity, reserved);
  } catch {
    valid = false;
  }
  return { reservation: formatResourceList(reserved), cgroupLimits: formatResourceList(podsCgroupLimits(input)), valid };
}

/** The container manager reports the size of the root file system, the machine the rest. */
function allocatable(input: Recorded) {
  const { machineInfo: info, machineInfoError, maxPods, podsPerCore } = input;
  const storage = input.containerManagerCapacity['ephemeral-storage'];
  const machine = machineInfoError
    ? undefined
    : {
        cpus: info.numCores,
        swapBytes: BigInt(info.swapCapacity),
        memoryBytes: BigInt(info.memoryCapacity),
        hugePages: info.hugepages.map(({ pageSizeKiB, numPages }: { pageSizeKiB: number; numPages: number }) => ({
          pageBytes: BigInt(pageSizeKiB) * 1024n,
          pages: BigInt(numPages),
        })),
        ...(storage !== undefined && { ephemeralStorageBytes: Quantity.parse(storage).value() }),
      };
  return {
    ...nodeCapacity({
      existing: { capacity: input.existingCapacity, allocatable: input.existingAllocatable },
      machine,
      maxPods,
      podsPerCore,
      reservation: new Map(Object.entries(input.reservation as ResourceList).map(([name, text]) => [name, Quantity.parse(text)])),
      devices: {
        capacity: input.devicePluginCapacity,
        allocatable: input.devicePluginAllocatable,
        removed: input.removedDevicePlugins,
      },
    }),
    swapCapacity: nodeSwap(machine)?.capacity,
  };
}

function conditions({ initialConditions = [], steps }: Recorded) {
  let current: NodeCondition[] = initialConditions;
  const one = (error: string | null | undefined) => (error ? [error] : []);
  return {
    steps: steps.map((step: Recorded) => {
      const input: NodeConditionsInput = {
        pressure: { memory: step.memoryPressure, disk: step.diskPressure, pid: step.pidPressure },
        runtimeErrors: one(step.runtimeError),
        networkErrors: one(step.networkError),
        storageErrors: one(step.storageError),
        ...(step.shutdownError && { shutdownError: step.shutdownError }),
        ...(step.softRequirements && { warning: step.softRequirements }),
        capacity: Object.fromEntries((step.capacityHas ?? []).map((name: string) => [name, '1'])),
        localStorageCapacityIsolation: step.localStorageCapacityIsolation,
      };
      const { conditions, events } = setNodeConditions(current, input, step.now);
      current = conditions;
      return { conditions, events: events.map((event) => `Normal ${event}`) };
    }),
  };
}

function cgroupConfig(input: Recorded) {
  if (input.fn === 'milliCPU') {
    const cpuShares = milliCpuToShares(input.milliCPU);
    return { cpuShares, cpuWeight: sharesToCpuWeight(cpuShares), cpuQuota: milliCpuToQuota(input.milliCPU, input.period) };
  }
  const { memory, ...config } = podCgroupResources(input.pod, { enforceCpuLimits: input.enforceCPULimits, cpuPeriod: input.cpuPeriod });
  const name = podCgroupName(input.pod);
  return {
    ...config,
    cpuWeight: sharesToCpuWeight(config.cpuShares ?? 0),
    ...(memory !== undefined && { memory: Number(memory) }),
    cgroupfsPath: cgroupfsPath(name),
    systemdPath: systemdPath(name),
  };
}

export const nodeStatusAdapters: Adapter[] = [
  defineAdapter('node-reservation', reservation),
  defineAdapter('node-allocatable', allocatable),
  defineAdapter('node-conditions', conditions),
  defineAdapter('pod-cgroup-config', cgroupConfig),
];
