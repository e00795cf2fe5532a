import type { MachineInfo } from '../machine/machine-info.js';
import type { NetworkFacts } from '../status/node-addresses.js';

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
