import { expect, it } from 'vitest';
import { testMachine } from '../test-support/test-machine.js';
import { nodeImages } from './images.js';
import type { NodeStatusFacts } from './node-facts.js';
import { setNodeStatus } from './set-node-status.js';

const facts: NodeStatusFacts = {
  nodeName: 'n1',
  operatingSystem: 'linux',
  architecture: 'amd64',
  machine: { ...testMachine, swapBytes: 1024n },
  maxPods: 110,
  podsPerCore: 0,
  runtimeVersion: { type: 'containerd', version: '2.1.9' },
  kubeletVersion: 'v1.36.2',
  kubeletPort: 10_250,
  images: [],
  nodeStatusMaxImages: 50,
  runtimeHandlers: [{ name: 'runc' }, { name: '' }],
  features: { supplementalGroupsPolicy: true },
  pressure: { memory: false, disk: false, pid: false },
  runtimeErrors: [],
  networkErrors: [],
  storageErrors: [],
  localStorageCapacityIsolation: true,
  declaredFeatures: ['A'],
};

it('describes the node, with Ready as the last condition', () => {
  const { node, events } = setNodeStatus({ metadata: { name: 'n1' } }, facts, 0);
  expect(node.status).toMatchObject({
    runtimeHandlers: [{ name: '' }, { name: 'runc' }],
    features: { supplementalGroupsPolicy: true },
    declaredFeatures: ['A'],
    nodeInfo: { swap: { capacity: 1024 }, kernelVersion: '6.1.0' },
  });
  expect(node.status?.conditions?.map(({ type }) => type)).toEqual(['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']);
  expect(events.map(({ reason }) => reason)).toEqual(['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID']);
});

it('keeps the known facts of an unreadable machine', () => {
  const before = setNodeStatus({}, facts, 0).node;
  const { machine: _machine, ...without } = facts;
  const { node, events } = setNodeStatus(before, without, 10_000);
  expect(node.status?.nodeInfo).toEqual(before.status?.nodeInfo);
  expect([node.status?.capacity?.cpu, node.status?.capacity?.['ephemeral-storage'], events]).toEqual(['0', '100Gi', []]);
});

it('lists the largest images, five names each', () => {
  const image = (name: string, size: bigint, names = 1) => ({
    repoDigests: [`${name}@sha256:1`],
    repoTags: Array.from({ length: names }, (_, index) => `${name}:${index}`),
    size,
  });
  const images = [image('small', 1n), image('large', 9n, 7), image('middle', 5n)];
  expect(nodeImages(images, 2)).toEqual([
    { names: ['large@sha256:1', 'large:0', 'large:1', 'large:2', 'large:3'], sizeBytes: 9 },
    { names: ['middle@sha256:1', 'middle:0'], sizeBytes: 5 },
  ]);
  expect(nodeImages(images, -1)).toHaveLength(3);
});
