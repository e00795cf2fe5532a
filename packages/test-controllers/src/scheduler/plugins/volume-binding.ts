import type { Pod } from '@nodeagent/api';
import type { StoredObject } from '../../controller-objects.js';
import { selectedNode } from '../../volumes/annotations.js';
import { reservedVolume } from '../../volumes/bind-claim.js';
import { findNodeVolumes, isBound, type PodClaims, podVolumeClaims, type VolumeObjects } from '../../volumes/pod-volumes.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { Misfit, ObjectWrite, Reservation, SchedulerPlugin } from '../framework/plugin.js';
import { unresolvable } from './rejections.js';
import { storedVolumes, volumeStorages } from './volume-objects.js';

interface State {
  pod: Pod;
  claims: PodClaims;
  objects: VolumeObjects;
}

/** The claims of a pod are bound, or can be on its node; those of classes that wait for it are bound before the pod is. */
export const volumeBinding: SchedulerPlugin<State> = {
  name: 'VolumeBinding',
  helpedBy: ['nodeAdded', 'nodeChanged'],
  storages: [volumeStorages.claims, volumeStorages.volumes, volumeStorages.classes, volumeStorages.capacities, volumeStorages.drivers],
  preFilter({ pod, namespace }, { objects: reader }) {
    const objects = storedVolumes(reader, namespace);
    const claims = podVolumeClaims(pod, objects);
    if ('problem' in claims) return { misfit: unresolvable(claims.problem) };
    return claims.bound.length + claims.delayed.length > 0 ? { state: { pod, claims, objects } } : {};
  },
  filter({ claims, objects }, { node }): Misfit | undefined {
    const found = findNodeVolumes(claims, node, objects);
    return 'reasons' in found ? { reasons: found.reasons, helpedByPreemption: false } : undefined;
  },
  reserve({ claims, objects }, node): Reservation | undefined {
    if (claims.delayed.length === 0) return undefined;
    const current = claims.delayed.map((claim) => objects.claimOf(claim.metadata?.name ?? '') ?? claim);
    const unbound = current.filter((claim) => !isBound(claim));
    return { writes: bindingWrites({ bound: [], delayed: unbound }, node, objects), isWaiting: unbound.length > 0 };
  },
};

/** Reserves the volumes that exist, and selects the node for those that are provisioned. */
function bindingWrites(claims: PodClaims, { node, name }: NodeInfo, objects: VolumeObjects): ObjectWrite[] {
  const isUnreserved = ({ metadata }: PodClaims['delayed'][number]) =>
    metadata?.annotations?.[selectedNode] === undefined && !objects.volumes().some(({ spec }) => spec?.claimRef?.uid === metadata?.uid);
  const found = findNodeVolumes({ bound: [], delayed: claims.delayed.filter(isUnreserved) }, node, objects);
  if ('reasons' in found) return [];
  const write = (storage: string, before: object, after: object): ObjectWrite => ({
    storage,
    before: before as StoredObject,
    after: after as StoredObject,
  });
  return [
    ...found.bindings.map(({ claim, volume }) => write(volumeStorages.volumes, volume, reservedVolume(volume, claim))),
    ...found.provisions.map((claim) => {
      const annotations = { ...claim.metadata?.annotations, [selectedNode]: name };
      return write(volumeStorages.claims, claim, { ...claim, metadata: { ...claim.metadata, annotations } });
    }),
  ];
}
