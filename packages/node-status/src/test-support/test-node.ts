import type { Node } from '@nodeagent/api';
import { createRecordingLogger, createRecordingRecorder, createVirtualClock, seededRandom } from '@nodeagent/testing';
import type { MachineInfo } from '../machine/machine-info.js';
import { createNodeStatusManager } from '../manager/node-status-manager.js';
import type { NodeStatusManagerOptions } from '../manager/options.js';
import type { NetworkFacts } from '../status/node-addresses.js';
import { createApiDouble } from './api-double.js';

export const testMachine: MachineInfo = {
  cpus: 4,
  memoryBytes: 8n * 1024n ** 3n,
  swapBytes: 0n,
  hugePages: [],
  ephemeralStorageBytes: 100n * 1024n ** 3n,
  machineId: 'machine',
  systemUuid: 'system',
  bootId: 'boot-1',
  kernelVersion: '6.1.0',
  osImage: 'Debian',
  operatingSystem: 'linux',
  architecture: 'amd64',
};

export const testNetwork: NetworkFacts = {
  interfaceAddresses: () => ['127.0.0.1', '10.0.0.7'],
  lookup: async () => ['10.0.0.7'],
  defaultAddress: async () => '10.0.0.7',
};

/** A manager of node `n1` on a machine and a runtime in the test's hands. */
export function createTestNode(options: Partial<NodeStatusManagerOptions> = {}, seed = 1) {
  const clock = createVirtualClock();
  const api = createApiDouble<Node>(clock);
  const recorder = createRecordingRecorder();
  const logger = createRecordingLogger();
  const world = {
    clock,
    api,
    recorder,
    logger,
    machine: testMachine,
    runtimeErrors: [] as string[],
    pressure: { memory: false, disk: false, pid: false },
    node: () => api.objects.get('n1'),
    ready: () => api.objects.get('n1')?.status?.conditions?.find(({ type }) => type === 'Ready'),
  };
  const manager = createNodeStatusManager({
    nodeName: 'n1',
    nodes: api,
    machine: { info: async () => world.machine },
    network: testNetwork,
    runtime: {
      version: () => ({ type: 'containerd', version: '2.1.9' }),
      errors: () => world.runtimeErrors,
      networkErrors: () => [],
    },
    pressure: {
      isUnderMemoryPressure: () => world.pressure.memory,
      isUnderDiskPressure: () => world.pressure.disk,
      isUnderPIDPressure: () => world.pressure.pid,
    },
    architecture: 'amd64',
    clock,
    random: seededRandom(seed),
    recorder,
    logger,
    ...options,
  });
  return { ...world, world, manager };
}
