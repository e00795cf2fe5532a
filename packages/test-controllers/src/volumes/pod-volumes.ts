import type { CSIDriver, CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@nodeagent/api';
import { matchesLabelSelector, matchesNodeSelector, volumeClaimName } from '@nodeagent/api/helpers';
import { bindCompleted, noProvisioner, selectedNode } from './annotations.js';
import { amount, className, findVolume, requestedStorage } from './match-volume.js';

/** The objects that decide where the volumes of a pod are. */
export interface VolumeObjects {
  /** In the pod's namespace. */
  claimOf(name: string): PersistentVolumeClaim | undefined;
  volumeOf(name: string): PersistentVolume | undefined;
  classOf(name: string): StorageClass | undefined;
  volumes(): readonly PersistentVolume[];
  driverOf(name: string): CSIDriver | undefined;
  capacities(): readonly CSIStorageCapacity[];
}

/** The claims of a pod: those that are bound, and those that are bound once the pod has a node. */
export interface PodClaims {
  bound: PersistentVolumeClaim[];
  delayed: PersistentVolumeClaim[];
}

/** The claims of a pod, or why it waits for them on every node: Kubernetes documentation, "Volume Binding Mode". */
export function podVolumeClaims(pod: Pod, objects: VolumeObjects): PodClaims | { problem: string } {
  const claims: PodClaims = { bound: [], delayed: [] };
  let isImmediate = false;
  for (const volume of pod.spec?.volumes ?? []) {
    const name = volumeClaimName(pod, volume);
    if (name === undefined) continue;
    const claim = objects.claimOf(name);
    const problem = claimProblem(pod, name, claim, volume.ephemeral !== undefined);
    if (claim === undefined || problem !== undefined) return { problem: problem ?? '' };
    if (isBound(claim)) claims.bound.push(claim);
    else if (isDelayed(claim, objects)) claims.delayed.push(claim);
    else isImmediate = true;
  }
  return isImmediate ? { problem: 'pod has unbound immediate PersistentVolumeClaims' } : claims;
}

function claimProblem(pod: Pod, name: string, claim: PersistentVolumeClaim | undefined, isEphemeral: boolean): string | undefined {
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  }
  if (claim.status?.phase === 'Lost') {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
  }
  if (claim.metadata?.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
  const { namespace, name: podName, uid } = pod.metadata ?? {};
  const isOwned = claim.metadata?.ownerReferences?.some((owner) => owner.controller && owner.uid === uid);
  if (!isEphemeral || isOwned) return undefined;
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
}

/** Whether the binder has bound the claim. */
export const isBound = ({ spec, metadata }: PersistentVolumeClaim): boolean =>
  Boolean(spec?.volumeName) && metadata?.annotations?.[bindCompleted] !== undefined;

const isDelayed = (claim: PersistentVolumeClaim, { classOf }: VolumeObjects): boolean =>
  !claim.spec?.volumeName && classOf(className(claim))?.volumeBindingMode === 'WaitForFirstConsumer';

/** What is bound once the pod has the node. */
export interface FoundVolumes {
  bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[];
  provisions: PersistentVolumeClaim[];
}

/** The volumes that a pod gets on a node, or why the node does not have them. Throws an Error for a claim without a class. */
export function findNodeVolumes({ bound, delayed }: PodClaims, node: Node, objects: VolumeObjects): FoundVolumes | { reasons: string[] } {
  const reasons: string[] = [];
  const volumes = bound.map(({ spec }) => objects.volumeOf(spec?.volumeName ?? ''));
  if (volumes.some((volume) => volume && !isReachable(volume, node))) reasons.push("node(s) didn't match PersistentVolume's node affinity");
  const found = delayed.length > 0 ? bindDelayed(delayed, node, objects) : { bindings: [], provisions: [] };
  if ('problem' in found) reasons.push(found.problem);
  if (volumes.includes(undefined) && reasons.length === 0) {
    reasons.push('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)');
  }
  return reasons.length > 0 || 'problem' in found ? { reasons } : found;
}

function isReachable({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return !required || matchesNodeSelector(required, node);
}

const noVolume = { problem: "node(s) didn't find available persistent volumes to bind" };

function bindDelayed(delayed: readonly PersistentVolumeClaim[], node: Node, objects: VolumeObjects): FoundVolumes | { problem: string } {
  const chosenNode = ({ metadata }: PersistentVolumeClaim) => metadata?.annotations?.[selectedNode];
  if (delayed.some((claim) => (chosenNode(claim) ?? node.metadata?.name) !== node.metadata?.name)) return noVolume;
  const result: FoundVolumes = { bindings: [], provisions: delayed.filter((claim) => chosenNode(claim) !== undefined) };
  let free = objects.volumes();
  const bySize = (a: PersistentVolumeClaim, b: PersistentVolumeClaim) => Number(requestedStorage(a) - requestedStorage(b));
  for (const claim of delayed.filter((each) => chosenNode(each) === undefined).sort(bySize)) {
    const volume = findVolume(claim, free, node);
    free = free.filter((each) => each !== volume);
    if (volume) result.bindings.push({ claim, volume });
    else result.provisions.push(claim);
  }
  for (const claim of result.provisions) {
    const problem = provisionProblem(claim, node, objects);
    if (problem) return problem;
  }
  return result;
}

function provisionProblem(claim: PersistentVolumeClaim, node: Node, objects: VolumeObjects): { problem: string } | undefined {
  const storageClass = objects.classOf(className(claim));
  if (!storageClass || storageClass.provisioner === noProvisioner || !isInTopology(storageClass, node)) return noVolume;
  return hasCapacity(claim, storageClass, node, objects) ? undefined : { problem: 'node(s) did not have enough free storage' };
}

function isInTopology({ allowedTopologies = [] }: StorageClass, { metadata }: Node): boolean {
  const matches = ({ matchLabelExpressions = [] }: (typeof allowedTopologies)[number]) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata?.labels?.[key] ?? ''));
  return allowedTopologies.length === 0 || allowedTopologies.some(matches);
}

/** Whether a driver that publishes its capacity has enough: Kubernetes documentation, "Storage Capacity". */
function hasCapacity(claim: PersistentVolumeClaim, { metadata, provisioner }: StorageClass, node: Node, objects: VolumeObjects): boolean {
  if (!objects.driverOf(provisioner)?.spec.storageCapacity || claim.spec?.resources?.requests?.storage === undefined) return true;
  return objects.capacities().some(({ storageClassName, nodeTopology, capacity, maximumVolumeSize }) => {
    const limit = maximumVolumeSize ?? capacity;
    const isEnough = limit !== undefined && amount(limit) >= requestedStorage(claim);
    return storageClassName === metadata?.name && isEnough && nodeTopology && matchesLabelSelector(nodeTopology, node.metadata?.labels);
  });
}
