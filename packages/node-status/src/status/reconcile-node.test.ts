import type { Node } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { attachDetachAnnotation, initialNode } from './initial-node.js';
import { reconcileNode } from './reconcile-node.js';

const fresh: Node = {
  ...initialNode({ nodeName: 'n1', hostname: 'host', operatingSystem: 'linux', architecture: 'arm64' }),
  status: {
    capacity: { cpu: '4', 'hugepages-2Mi': '1Gi' },
    allocatable: { cpu: '4', 'hugepages-2Mi': '1Gi' },
  },
};
const registered: Node = structuredClone({ ...fresh, metadata: { ...fresh.metadata, uid: 'u1' } });

it('returns an up-to-date node unchanged', () => {
  expect(reconcileNode(registered, fresh)).toBe(registered);
  const spelt: Node = { ...registered, status: { capacity: { 'hugepages-2Mi': '1024Mi' }, allocatable: { 'hugepages-2Mi': '1Gi' } } };
  expect(reconcileNode(spelt, fresh)).toBe(spelt);
});

it('reconciles its labels and annotation, and keeps all others', () => {
  const changed: Node = {
    ...registered,
    metadata: { labels: { 'kubernetes.io/hostname': 'old', 'kubernetes.io/os': 'linux', theirs: 'x' }, annotations: { theirs: 'y' } },
  };
  expect(reconcileNode(changed, fresh).metadata).toEqual({
    labels: { ...fresh.metadata?.labels, theirs: 'x' },
    annotations: { theirs: 'y', [attachDetachAnnotation]: 'true' },
  });
});

it('removes the annotation when the node attaches volumes', () => {
  const without = { ...fresh, metadata: { ...fresh.metadata, annotations: {} } };
  expect(reconcileNode(registered, without).metadata?.annotations).toEqual({});
});

it('removes empty default labels', () => {
  const zoned: Node = { ...registered, metadata: { labels: { ...fresh.metadata?.labels, 'topology.kubernetes.io/zone': 'a' } } };
  const noZone: Node = {
    ...fresh,
    metadata: { ...fresh.metadata, labels: { ...fresh.metadata?.labels, 'topology.kubernetes.io/zone': '' } },
  };
  expect(reconcileNode(zoned, noZone).metadata?.labels).toEqual(fresh.metadata?.labels);
  expect(reconcileNode(zoned, fresh).metadata?.labels).toHaveProperty(['topology.kubernetes.io/zone'], 'a');
});

it('adds, changes and removes huge pages', () => {
  const status = { capacity: { cpu: '4', 'hugepages-1Gi': '2Gi', 'hugepages-2Mi': '0' }, allocatable: { cpu: '4' } };
  expect(reconcileNode({ ...registered, status }, fresh).status).toEqual(fresh.status);
  const noPages: Node = { ...fresh, status: { capacity: { cpu: '4' }, allocatable: { cpu: '4' } } };
  expect(reconcileNode(registered, noPages).status).toEqual({ capacity: { cpu: '4' }, allocatable: { cpu: '4' } });
});

it('resets extended resources on a new machine', () => {
  const status = {
    capacity: { ...fresh.status?.capacity, 'example.com/gpu': '4' },
    allocatable: { ...fresh.status?.allocatable, 'example.com/gpu': '3' },
  };
  const reset = reconcileNode({ ...registered, status }, fresh, { resetExtendedResources: true });
  expect([reset.status?.capacity?.['example.com/gpu'], reset.status?.allocatable?.['example.com/gpu']]).toEqual(['0', '0']);
  expect(reconcileNode({ ...registered, status }, fresh).status).toBe(status);
  expect(reconcileNode(registered, fresh, { resetExtendedResources: true })).toBe(registered);
});

it('sets the resources of a node without any', () => {
  expect(reconcileNode({ ...registered, status: {} }, fresh).status).toEqual(fresh.status);
});

it('marks nodes of an external cloud provider as not yet initialized', () => {
  const node = initialNode({
    nodeName: 'n1',
    hostname: 'n1',
    operatingSystem: 'linux',
    architecture: 'amd64',
    externalCloudProvider: true,
    enableControllerAttachDetach: false,
    taints: [{ key: 'own', effect: 'NoExecute' }],
    labels: { 'kubernetes.io/hostname': 'given' },
  });
  expect(node.spec?.taints).toEqual([
    { key: 'own', effect: 'NoExecute' },
    { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  ]);
  expect([node.metadata?.annotations, node.metadata?.labels?.['kubernetes.io/hostname']]).toEqual([undefined, 'given']);
});
