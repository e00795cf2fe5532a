import type { Node, Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import type { StoredObject } from '../../controller-objects.js';
import { addPodTo, nodeInfoOf } from '../framework/node-info.js';
import type { SchedulerPlugin } from '../framework/plugin.js';
import { podInfoOf } from '../framework/pod-info.js';
import { volumeStorages } from './volume-objects.js';
import { nodeVolumeLimits, volumeRestrictions, volumeZone } from './volume-rules.js';

const podWith = (name: string, ...claims: string[]): Pod => ({
  metadata: { namespace: 'ns', name },
  spec: { containers: [], volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
});
const claim = (name: string, spec: object): StoredObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'ns', name },
  spec,
});
const object = (name: string, more: object, labels?: Record<string, string>): StoredObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name, ...(labels && { labels }) },
  ...more,
});

interface Given {
  objects: Record<string, StoredObject[]>;
  node?: Node;
  others?: Pod[];
}

/** Why the pod does not fit the node, and whether the end of the others helps. */
function misfit(plugin: SchedulerPlugin<never>, pod: Pod, { objects, node = { metadata: { name: 'n' } }, others = [] }: Given) {
  const info = nodeInfoOf(node);
  for (const each of others) addPodTo(info, podInfoOf(each), 1);
  const reader = {
    get: (storage: string, _namespace: string | undefined, name: string) =>
      objects[storage]?.find(({ metadata }) => metadata.name === name),
    list: (storage: string) => objects[storage] ?? [],
  };
  const snapshot = { nodes: [info], objects: reader, nominated: new Map(), startAt: 0 };
  const { state, misfit: early } = plugin.preFilter?.(podInfoOf(pod), snapshot) ?? {};
  if (early || state === undefined) return early?.reasons[0];
  const found = plugin.filter?.(state, info);
  for (const other of [...info.pods.values()]) {
    addPodTo(info, other, -1);
    plugin.addPod?.(state, other, info, -1);
  }
  return found && [found.reasons[0], plugin.filter?.(state, info) === undefined ? 'alone it fits' : 'never'];
}

it('gives a claim with the access mode ReadWriteOncePod to one pod', () => {
  const objects = {
    [volumeStorages.claims]: [claim('one', { accessModes: ['ReadWriteOncePod'] }), claim('many', { accessModes: ['ReadWriteMany'] })],
  };
  const reason = 'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
  const others = [podWith('other', 'one', 'many')];
  expect(misfit(volumeRestrictions as never, podWith('p', 'one'), { objects, others })).toEqual([reason, 'alone it fits']);
  expect(misfit(volumeRestrictions as never, podWith('p', 'one'), { objects })).toBeUndefined();
  expect(misfit(volumeRestrictions as never, podWith('p', 'many'), { objects, others })).toBeUndefined();
  expect(misfit(volumeRestrictions as never, podWith('p', 'x'), { objects })).toBe('persistentvolumeclaim "x" not found');
});

it('keeps pods in the zones of their volumes', () => {
  const inZone = (label: string, zone: string) => ({
    [volumeStorages.claims]: [claim('data', { volumeName: 'v' })],
    [volumeStorages.volumes]: [object('v', {}, { [label]: zone })],
  });
  const nodeIn = (zone?: string): Node => ({ metadata: { name: 'n', labels: { ...(zone && { 'topology.kubernetes.io/zone': zone }) } } });
  const check = (zones: string, zone?: string, label = 'topology.kubernetes.io/zone') =>
    misfit(volumeZone as never, podWith('p', 'data'), { objects: inZone(label, zones), node: nodeIn(zone) });
  expect(check('a', 'a')).toBeUndefined();
  expect(check('a', 'b')).toEqual(['node(s) had no available volume zone', 'never']);
  expect(check('a__b', 'b')).toBeUndefined();
  expect(check('a')).toBeUndefined();
  expect(check('a', 'a', 'failure-domain.beta.kubernetes.io/zone')).toBeUndefined();
});

it('limits the volumes of a driver on a node', () => {
  const csi = (volumeHandle: string) => ({ spec: { csi: { driver: 'disk', volumeHandle } } });
  const objects = (count: number, ...attached: string[]) => ({
    [volumeStorages.claims]: [...['a', 'b'].map((name) => claim(name, { volumeName: name })), claim('new', { storageClassName: 'late' })],
    [volumeStorages.volumes]: ['a', 'b', 'c'].map((name) => object(name, csi(name))),
    [volumeStorages.classes]: [object('late', { provisioner: 'disk' })],
    [volumeStorages.driverNodes]: [object('n', { spec: { drivers: [{ name: 'disk', nodeID: 'n', allocatable: { count } }] } })],
    [volumeStorages.attachments]: attached.map((name) =>
      object(name, { spec: { attacher: 'disk', nodeName: 'n', source: { persistentVolumeName: name } } }),
    ),
  });
  const others = [podWith('other', 'a')];
  const check = (pod: Pod, count: number, ...attached: string[]) =>
    misfit(nodeVolumeLimits as never, pod, { objects: objects(count, ...attached), others });
  const exceeded = 'node(s) exceed max volume count';
  expect(check(podWith('p', 'b'), 1)).toEqual([exceeded, 'alone it fits']);
  expect(check(podWith('p', 'new'), 1)).toEqual([exceeded, 'alone it fits']);
  expect(check(podWith('p', 'a'), 1)).toBeUndefined();
  expect(check(podWith('p', 'b'), 2)).toBeUndefined();
  expect(check(podWith('p', 'b'), 2, 'a', 'c')).toEqual([exceeded, 'never']);
});
