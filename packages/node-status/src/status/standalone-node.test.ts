import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createNodeStatusManager } from '../manager/node-status-manager.js';
import { standaloneNode } from './standalone-node.js';

const machine = {
  cpus: 4,
  memoryBytes: 8n << 30n,
  swapBytes: 0n,
  hugePages: [{ pageBytes: 2n << 20n, pages: 8n }],
  ephemeralStorageBytes: 100n << 30n,
  machineId: 'm',
  systemUuid: 's',
  bootId: 'b',
  kernelVersion: '6.12.0',
  osImage: 'Linux',
  operatingSystem: 'linux',
  architecture: 'amd64',
};
const settings = {
  maxPods: 110,
  podsPerCore: 10,
  systemReserved: { cpu: '500m' },
  kubeReserved: { memory: '1Gi' },
  evictionReserves: [{ resource: 'memory', value: { quantity: '100Mi' } }],
};
const input = { nodeName: 'edge', hostname: 'edge', operatingSystem: 'linux', architecture: 'amd64', machine, ...settings };

it('has the labels, the capacity and the allocatable that the agent would register', async () => {
  const manager = createNodeStatusManager({
    nodeName: 'edge',
    architecture: 'amd64',
    machine: { info: async () => machine },
    network: { interfaceAddresses: () => [], lookup: async () => [], defaultAddress: async () => '192.0.2.1' },
    runtime: { version: () => ({ type: 'x' }), errors: () => [], networkErrors: () => [] },
    settings: { ...settings, nodeLabels: { disk: 'ssd' } },
    clock: createVirtualClock(),
  });
  const registered = await manager.getNode();
  const node = standaloneNode({ ...input, labels: { disk: 'ssd' } });
  expect(node.metadata).toEqual(registered.metadata);
  expect(node.status).toEqual({ capacity: registered.status?.capacity, allocatable: registered.status?.allocatable });
  expect(node.status?.allocatable).toMatchObject({ cpu: '3500m', pods: '40' });
});

it('rejects reservations above the capacity', () => {
  expect(() => standaloneNode({ ...input, systemReserved: { cpu: '5' } })).toThrow(
    expect.objectContaining({ code: 'InvalidNodeAllocatable', message: expect.stringContaining('Resource "cpu" has a reservation of 5') }),
  );
});
