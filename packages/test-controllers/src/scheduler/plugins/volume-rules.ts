import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { volumeClaimName } from '@nodeagent/api/helpers';
import { className } from '../../volumes/match-volume.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { SchedulerPlugin } from '../framework/plugin.js';
import type { PodInfo } from '../framework/pod-info.js';
import { resolvable, unresolvable } from './rejections.js';
import { type StoredVolumes, storedVolumes, volumeStorages } from './volume-objects.js';

/** The names of a pod's claims. */
const claimNames = (pod: Pod): string[] => (pod.spec?.volumes ?? []).flatMap((volume) => volumeClaimName(pod, volume) ?? []);

/** The claims with access mode ReadWriteOncePod that other pods use, by `namespace/name`. */
type ConflictState = Map<string, number>;

/** A claim with the access mode ReadWriteOncePod is used by one pod: Kubernetes documentation, "Persistent Volumes: Access Modes". */
export const volumeRestrictions: SchedulerPlugin<{ key: (name: string) => string; users: ConflictState }> = {
  name: 'VolumeRestrictions',
  helpedBy: ['podRemoved'],
  storages: [volumeStorages.claims],
  preFilter({ pod, namespace }, { nodes, objects }) {
    const { claimOf } = storedVolumes(objects, namespace);
    const names = (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
    const missing = names.find((name) => claimOf(name) === undefined);
    if (missing !== undefined) return { misfit: unresolvable(`persistentvolumeclaim "${missing}" not found`) };
    const exclusive = names.filter((name) => claimOf(name)?.spec?.accessModes?.includes('ReadWriteOncePod'));
    if (exclusive.length === 0) return {};
    const key = (name: string) => `${namespace}/${name}`;
    const users: ConflictState = new Map(exclusive.map((name) => [key(name), 0]));
    for (const node of nodes) for (const other of node.pods.values()) countUser(users, other, 1);
    return { state: { key, users } };
  },
  filter: ({ users }) =>
    [...users.values()].some((count) => count > 0)
      ? resolvable('node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod')
      : undefined,
  addPod: ({ users }, other, _node, count) => countUser(users, other, count),
};

function countUser(users: ConflictState, { pod, namespace }: PodInfo, count: 1 | -1): void {
  for (const name of claimNames(pod)) {
    const key = `${namespace}/${name}`;
    const known = users.get(key);
    if (known !== undefined) users.set(key, known + count);
  }
}

const zoneLabels = ['zone', 'region'].flatMap((name) => [`topology.kubernetes.io/${name}`, `failure-domain.beta.kubernetes.io/${name}`]);
const currentLabel = (label: string) => label.replace('failure-domain.beta', 'topology');

/** Volumes with labels of a zone are used in it. */
export const volumeZone: SchedulerPlugin<{ label: string; values: string[] }[]> = {
  name: 'VolumeZone',
  helpedBy: ['nodeAdded', 'nodeChanged'],
  storages: [volumeStorages.claims, volumeStorages.volumes, volumeStorages.classes],
  preFilter({ pod, namespace }, { objects }) {
    const { claimOf, volumeOf } = storedVolumes(objects, namespace);
    const state = claimNames(pod).flatMap((name) => {
      const labels = volumeOf(claimOf(name)?.spec?.volumeName ?? '')?.metadata?.labels ?? {};
      return zoneLabels.flatMap((label) => (labels[label] === undefined ? [] : [{ label, values: labels[label].split('__') }]));
    });
    return state.length > 0 ? { state } : {};
  },
  filter(state, { labels }) {
    if (!zoneLabels.some((label) => labels[label] !== undefined)) return undefined;
    const isHere = state.every(({ label, values }) => values.includes(labels[label] ?? labels[currentLabel(label)] ?? ''));
    return isHere ? undefined : unresolvable('node(s) had no available volume zone');
  },
};

interface LimitState {
  pod: Pod;
  objects: StoredVolumes;
  objectsOf(namespace: string): StoredVolumes;
}

/** The volumes of a CSI driver on a node do not exceed its limit: Kubernetes documentation, "Node-specific Volume Limits". */
export const nodeVolumeLimits: SchedulerPlugin<LimitState> = {
  name: 'NodeVolumeLimits',
  helpedBy: ['podRemoved', 'nodeAdded'],
  storages: [volumeStorages.driverNodes, volumeStorages.claims, volumeStorages.volumes, volumeStorages.attachments],
  preFilter({ pod, namespace }, { objects }) {
    if (claimNames(pod).length === 0) return {};
    const objectsOf = (of: string) => storedVolumes(objects, of);
    return { state: { pod, objects: objectsOf(namespace), objectsOf } };
  },
  filter({ pod, objects, objectsOf }, node) {
    const limits = (objects.driverNodeOf(node.name)?.spec.drivers ?? []).filter(({ allocatable }) => allocatable?.count !== undefined);
    if (limits.length === 0) return undefined;
    const wanted = driverVolumes(pod, objects);
    if (wanted.size === 0) return undefined;
    const attached = attachedVolumes(node, objects, objectsOf);
    const countOf = (volumes: Iterable<string>, driver: string) => [...volumes].filter((id) => id.startsWith(`${driver}/`)).length;
    const isExceeded = limits.some(({ name, allocatable }) => {
      const added = countOf(
        [...wanted].filter((id) => !attached.has(id)),
        name,
      );
      return added > 0 && countOf(attached, name) + added > (allocatable?.count ?? 0);
    });
    return isExceeded ? resolvable('node(s) exceed max volume count') : undefined;
  },
};

function attachedVolumes(node: NodeInfo, objects: StoredVolumes, objectsOf: LimitState['objectsOf']): Set<string> {
  const ofPods = [...node.pods.values()].flatMap(({ pod, namespace }) => [...driverVolumes(pod, objectsOf(namespace))]);
  const attachments = objects.attachments().filter(({ spec }) => spec.nodeName === node.name);
  const ofAttachments = attachments.flatMap(({ spec }) => volumeId(objects.volumeOf(spec.source.persistentVolumeName ?? '')) ?? []);
  return new Set([...ofPods, ...ofAttachments]);
}

/** The CSI volumes of a pod, by driver and handle. */
function driverVolumes(pod: Pod, { claimOf, volumeOf, classOf }: StoredVolumes): Set<string> {
  const claims = claimNames(pod).flatMap((name) => claimOf(name) ?? []);
  return new Set(
    claims.flatMap((claim) => {
      const volume = volumeOf(claim.spec?.volumeName ?? '');
      return (volume ? volumeId(volume) : futureId(claim, classOf(className(claim))?.provisioner)) ?? [];
    }),
  );
}

const volumeId = (volume: PersistentVolume | undefined): string | undefined => {
  const { driver, volumeHandle } = volume?.spec?.csi ?? {};
  return driver && `${driver}/${volumeHandle}`;
};

/** A volume that is not provisioned yet. */
const futureId = ({ metadata }: PersistentVolumeClaim, provisioner: string | undefined): string | undefined =>
  provisioner && `${provisioner}/new ${metadata?.namespace}/${metadata?.name}`;
