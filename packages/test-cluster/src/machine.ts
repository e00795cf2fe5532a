import type { ResourceList } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { JoinClusterOptions, MachineFacts } from '@nodeagent/core';
import type { Capacity } from './simulated-stats.js';

const defaults: ResourceList = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' };
const maxPids = 4_194_304;

/** The facts of a simulated machine. */
export interface SimulatedMachine {
  facts: MachineFacts;
  capacity: Capacity;
  maxPods: number;
  address: string;
  /** The machine info of the Node's status, after this number of boots. */
  report(boots: number): NonNullable<JoinClusterOptions['machine']>;
  network: NonNullable<JoinClusterOptions['network']>;
}

/** The `index`-th machine of a cluster; `resources` overrides the default capacity. */
export function simulatedMachine(name: string, index: number, resources: ResourceList = {}): SimulatedMachine {
  const amount = (resource: string) => Quantity.parse(resources[resource] ?? defaults[resource] ?? '0').value();
  const cpus = Number(amount('cpu'));
  const memoryBytes = amount('memory');
  const ephemeralStorageBytes = amount('ephemeral-storage');
  const address = `172.${16 + ((index + 1) >> 16)}.${((index + 1) >> 8) & 255}.${(index + 1) & 255}`;
  return {
    facts: { cpus, memoryBytes, cgroupVersion: 2, hugePageSizes: [], swapController: false, swapBytes: 0n, maskedPaths: [] },
    capacity: { memoryBytes: Number(memoryBytes), diskBytes: Number(ephemeralStorageBytes), pids: maxPids },
    maxPods: Number(amount('pods')),
    address,
    report: (boots) => ({
      info: async () => ({
        cpus,
        memoryBytes,
        swapBytes: 0n,
        hugePages: [],
        ephemeralStorageBytes,
        machineId: `machine-${name}`,
        systemUuid: `system-${name}`,
        bootId: `boot-${name}-${boots}`,
        kernelVersion: '6.12.0',
        osImage: 'Simulated Linux',
        operatingSystem: 'linux',
        architecture: 'amd64',
      }),
    }),
    network: { interfaceAddresses: () => [address], lookup: async () => [address], defaultAddress: async () => address },
  };
}

/** Pod addresses of the `index`-th machine, from a separate subnet; they repeat after 250. */
export const podAddresses = (index: number) => (nth: number) => [`10.${64 + (index >> 8)}.${index & 255}.${2 + (nth % 250)}`];

/** Whether an address is in the subnets of simulated machines and pods: 172.16.0.0/12 and 10.64.0.0/10. */
export function isSimulatedAddress(address: string): boolean {
  const [first, second = 0] = address.split('.').map(Number);
  return (first === 172 && second >> 4 === 1) || (first === 10 && second >> 6 === 1);
}
