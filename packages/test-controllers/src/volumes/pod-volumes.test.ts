import type { CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { bindCompleted, selectedNode } from './annotations.js';
import { findNodeVolumes, podVolumeClaims, type VolumeObjects } from './pod-volumes.js';

const podWith = (...volumes: object[]): Pod => ({
  metadata: { namespace: 'ns', name: 'web', uid: 'web-uid' },
  spec: { containers: [], volumes: volumes.map((source, index) => ({ name: `v${index}`, ...source })) },
});
const uses = (claimName: string) => ({ persistentVolumeClaim: { claimName } });

const claim = (name: string, { spec = {}, metadata = {}, ...more }: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  metadata: { namespace: 'ns', name, uid: `${name}-uid`, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'late', resources: { requests: { storage: '1Gi' } }, ...spec },
  ...more,
});
const bound = (name: string, volumeName: string) =>
  claim(name, { spec: { volumeName }, metadata: { annotations: { [bindCompleted]: 'yes' } } });

const volume = (name: string, spec: PersistentVolume['spec'] = {}): PersistentVolume => ({
  metadata: { name },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'late', ...spec },
  status: { phase: 'Available' },
});
const onNode = (name: string) => ({
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'host', operator: 'In' as const, values: [name] }] }] } },
});
const node = (name: string): Node => ({ metadata: { name, labels: { host: name } } });

const late: StorageClass = { metadata: { name: 'late' }, provisioner: 'simulated', volumeBindingMode: 'WaitForFirstConsumer' };

interface Given {
  claims?: PersistentVolumeClaim[];
  volumes?: PersistentVolume[];
  storageClass?: StorageClass;
  /** Of a driver that publishes its capacity. */
  capacities?: CSIStorageCapacity[];
}

function objectsOf({ claims = [], volumes = [], storageClass = late, capacities }: Given): VolumeObjects {
  const named = <T extends { metadata?: { name?: string } }>(all: readonly T[], name: string) =>
    all.find(({ metadata }) => metadata?.name === name);
  return {
    claimOf: (name) => named(claims, name),
    volumeOf: (name) => named(volumes, name),
    classOf: (name) => named([storageClass], name),
    volumes: () => volumes,
    driverOf: () => capacities && { spec: { storageCapacity: true } },
    capacities: () => capacities ?? [],
  };
}

/** What the pod gets on node `a`, or why it gets nothing. */
function find(given: Given, pod = podWith(...(given.claims ?? []).map(({ metadata }) => uses(metadata?.name ?? '')))): string[] {
  const objects = objectsOf(given);
  const claims = podVolumeClaims(pod, objects);
  if ('problem' in claims) return [claims.problem];
  const found = findNodeVolumes(claims, node('a'), objects);
  if ('reasons' in found) return found.reasons;
  return [
    ...found.bindings.map(({ claim: each, volume: its }) => `${each.metadata?.name}=${its.metadata?.name}`),
    ...found.provisions.map(({ metadata }) => `new ${metadata?.name}`),
  ];
}

const noVolume = ["node(s) didn't find available persistent volumes to bind"];

describe('the claims of a pod', () => {
  it.each<[string, Given, object[]]>([
    ['persistentvolumeclaim "x" not found', {}, [uses('x')]],
    [
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "web-v0"',
      {},
      [{ ephemeral: { volumeClaimTemplate: {} } }],
    ],
    [
      'PVC ns/web-v0 was not created for pod ns/web (pod is not owner)',
      { claims: [claim('web-v0')] },
      [{ ephemeral: { volumeClaimTemplate: {} } }],
    ],
    ['persistentvolumeclaim "x" is being deleted', { claims: [claim('x', { metadata: { deletionTimestamp: 'now' } })] }, [uses('x')]],
    [
      'persistentvolumeclaim "x" bound to non-existent persistentvolume "v"',
      { claims: [claim('x', { spec: { volumeName: 'v' }, status: { phase: 'Lost' } })] },
      [uses('x')],
    ],
    ['pod has unbound immediate PersistentVolumeClaims', { claims: [claim('x', { spec: { storageClassName: 'other' } })] }, [uses('x')]],
    ['pod has unbound immediate PersistentVolumeClaims', { claims: [claim('x', { spec: { volumeName: 'v' } })] }, [uses('x')]],
  ])('%s', (message, given, volumes) => {
    expect(find(given, podWith(...volumes))).toEqual([message]);
  });
});

describe('the volumes of a node', () => {
  it('are those that bound claims have, if the node reaches them', () => {
    const claims = [bound('x', 'v')];
    expect(find({ claims, volumes: [volume('v', onNode('a'))] })).toEqual([]);
    expect(find({ claims, volumes: [volume('v', onNode('b'))] })).toEqual(["node(s) didn't match PersistentVolume's node affinity"]);
    expect(find({ claims })).toEqual(['node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)']);
  });

  it('are different ones for each claim, the smallest first', () => {
    const large = claim('large', { spec: { resources: { requests: { storage: '2Gi' } } } });
    const volumes = [volume('one'), volume('two', { capacity: { storage: '2Gi' } }), volume('away', onNode('b'))];
    expect(find({ claims: [large, claim('small')], volumes })).toEqual(['small=one', 'large=two']);
    expect(find({ claims: [claim('p'), claim('q')], volumes: [volume('one'), volume('away', onNode('b'))] })).toEqual(['p=one', 'new q']);
  });

  it('are provisioned where the class allows it', () => {
    const claims = [claim('x')];
    const inZone = (value: string) => ({ ...late, allowedTopologies: [{ matchLabelExpressions: [{ key: 'host', values: [value] }] }] });
    expect(find({ claims, storageClass: inZone('a') })).toEqual(['new x']);
    expect(find({ claims, storageClass: inZone('b') })).toEqual(noVolume);
    expect(find({ claims, storageClass: { ...late, provisioner: 'kubernetes.io/no-provisioner' } })).toEqual(noVolume);
  });

  it('are provisioned where the driver has the capacity', () => {
    const here = (capacity: string, host = 'a') => ({ storageClassName: 'late', capacity, nodeTopology: { matchLabels: { host } } });
    const claims = [claim('x')];
    expect(find({ claims, capacities: [here('1Gi')] })).toEqual(['new x']);
    for (const capacities of [[], [here('500Mi')], [here('1Gi', 'b')], [{ ...here('5Gi'), maximumVolumeSize: '1Mi' }]]) {
      expect(find({ claims, capacities })).toEqual(['node(s) did not have enough free storage']);
    }
  });

  it('stay on the node that was selected before', () => {
    const selected = (name: string) => [claim('x', { metadata: { annotations: { [selectedNode]: name } } })];
    expect(find({ claims: selected('a') })).toEqual(['new x']);
    expect(find({ claims: selected('b') })).toEqual(noVolume);
  });
});
