import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { EventText } from '../workloads/objects.js';
import { bindCompleted, boundByController, noProvisioner, provisionedBy, selectedNode, storageProvisioner } from './annotations.js';
import { amount, className, findVolume, isReservedFor, mismatch, requestedStorage } from './match-volume.js';
import type { VolumeWrite } from './objects.js';

export interface ClaimInput {
  claim: PersistentVolumeClaim;
  volumes: readonly PersistentVolume[];
  /** The class of the claim, if it exists. */
  storageClass?: StorageClass;
  /** The node that the scheduler selected for a claim of a class that waits for its first consumer. */
  node?: Node;
}

export interface ClaimStep {
  writes: VolumeWrite[];
  events: EventText[];
}

/**
 * The next step of a claim: it is bound to a volume, which may have to be provisioned, or it is expanded. A provisioned volume is a folder of its
 * node. Kubernetes documentation, "Persistent Volumes".
 */
export function reconcileClaim(input: ClaimInput): ClaimStep {
  const { claim, volumes } = input;
  if (claim.metadata?.deletionTimestamp) return { writes: [], events: [] };
  const { volumeName } = claim.spec ?? {};
  if (!volumeName) return bindAny(input);
  const volume = volumes.find(({ metadata }) => metadata?.name === volumeName);
  if (claim.metadata?.annotations?.[bindCompleted]) return boundStep(input, volume);
  if (volume === undefined) return { writes: statusWrites(claim, { phase: 'Pending' }), events: [] };
  if (volume.spec?.claimRef && !isReservedFor(volume, claim)) {
    const message = `volume "${volumeName}" already bound to a different claim.`;
    return { writes: statusWrites(claim, { phase: 'Pending' }), events: [warning('FailedBinding', message)] };
  }
  const problem = mismatch(volume, claim);
  if (problem) {
    const message = `Cannot bind to requested volume "${volumeName}": ${problem}`;
    return { writes: statusWrites(claim, { phase: 'Pending' }), events: [warning('VolumeMismatch', message)] };
  }
  return { writes: bindWrites(claim, volume), events: [] };
}

const warning = (reason: string, message: string): EventText => ({ type: 'Warning', reason, message });
const normal = (reason: string, message: string): EventText => ({ type: 'Normal', reason, message });

function statusWrites(claim: PersistentVolumeClaim, status: PersistentVolumeClaim['status']): VolumeWrite[] {
  return equalJson(claim.status ?? {}, status ?? {}) ? [] : [{ verb: 'updateStatus', object: { ...claim, ...(status && { status }) } }];
}

function bindAny({ claim, volumes, storageClass, node }: ClaimInput): ClaimStep {
  const pending = statusWrites(claim, { phase: 'Pending' });
  const isWaiting = storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && node === undefined;
  const reserved = volumes.find((volume) => isReservedFor(volume, claim) && mismatch(volume, claim) === undefined);
  if (isWaiting && !reserved) {
    return { writes: pending, events: [normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding')] };
  }
  const volume = findVolume(claim, volumes, node);
  if (volume) return { writes: bindWrites(claim, volume), events: [] };
  if (storageClass && storageClass.provisioner !== noProvisioner) return provision(claim, storageClass, node);
  const name = className(claim);
  if (name && !storageClass)
    return { writes: pending, events: [warning('ProvisioningFailed', `storageclass.storage.k8s.io "${name}" not found`)] };
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return { writes: pending, events: [normal('FailedBinding', message)] };
}

/** The volume, reserved for the claim. */
export function reservedVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata ?? {};
  const isReserved = volume.spec?.claimRef !== undefined;
  const claimRef = {
    ...volume.spec?.claimRef,
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
  const annotations = { ...volume.metadata?.annotations, ...(!isReserved && { [boundByController]: 'yes' }) };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: { ...volume.spec, claimRef },
  };
}

/** Reserves the volume, then binds the claim to it. */
function bindWrites(claim: PersistentVolumeClaim, volume: PersistentVolume): VolumeWrite[] {
  const bound = reservedVolume(volume, claim);
  const isChosen = !claim.spec?.volumeName;
  const after: PersistentVolumeClaim = {
    ...claim,
    metadata: {
      ...claim.metadata,
      annotations: { ...claim.metadata?.annotations, [bindCompleted]: 'yes', ...(isChosen && { [boundByController]: 'yes' }) },
    },
    spec: { ...claim.spec, volumeName: volume.metadata?.name ?? '' },
  };
  return [...(equalJson(volume, bound) ? [] : [{ verb: 'update', object: bound } as const]), { verb: 'update', object: after }];
}

/** Creates a volume for the claim, which is bound to it next. */
function provision(claim: PersistentVolumeClaim, storageClass: StorageClass, node: Node | undefined): ClaimStep {
  const { namespace, uid } = claim.metadata ?? {};
  const name = `pvc-${uid}`;
  const { provisioner, reclaimPolicy = 'Delete', mountOptions } = storageClass;
  const hostname = node?.metadata?.labels?.['kubernetes.io/hostname'];
  const onNode = { key: 'kubernetes.io/hostname', operator: 'In' as const, values: [hostname ?? ''] };
  const volume: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [provisionedBy]: provisioner }, finalizers: ['kubernetes.io/pv-protection'] },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.storage ?? '0' },
      accessModes: claim.spec?.accessModes ?? [],
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        ...(namespace && { namespace }),
        name: claim.metadata?.name ?? '',
        ...(uid && { uid }),
      },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata?.name ?? '',
      volumeMode: claim.spec?.volumeMode ?? 'Filesystem',
      ...(claim.spec?.volumeAttributesClassName && { volumeAttributesClassName: claim.spec.volumeAttributesClassName }),
      ...(mountOptions && { mountOptions }),
      hostPath: { path: `/var/lib/simulated-volumes/${name}`, type: 'DirectoryOrCreate' },
      ...(hostname && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode] }] } } }),
    },
  };
  const annotations = {
    ...claim.metadata?.annotations,
    [storageProvisioner]: provisioner,
    ...(node?.metadata?.name && { [selectedNode]: node.metadata.name }),
  };
  return {
    writes: [
      { verb: 'create', object: volume },
      { verb: 'update', object: { ...claim, metadata: { ...claim.metadata, annotations } } },
    ],
    events: [normal('ProvisioningSucceeded', `Successfully provisioned volume ${name} using ${provisioner}`)],
  };
}

/** The status of a bound claim, and its expansion. */
function boundStep({ claim, storageClass }: ClaimInput, volume: PersistentVolume | undefined): ClaimStep {
  if (volume === undefined || !isReservedFor(volume, claim)) {
    const isLost = claim.status?.phase === 'Lost';
    const message = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!';
    const { accessModes: _modes, capacity: _capacity, ...status } = claim.status ?? {};
    return { writes: statusWrites(claim, { ...status, phase: 'Lost' }), events: isLost ? [] : [warning('ClaimLost', message)] };
  }
  const requested = claim.spec?.resources?.requests?.storage;
  const isExpanded = storageClass?.allowVolumeExpansion === true && requestedStorage(claim) > amount(volume.spec?.capacity?.storage);
  const capacity = isExpanded && requested ? { ...volume.spec?.capacity, storage: requested } : (volume.spec?.capacity ?? {});
  // Later a driver sets the class.
  const { volumeAttributesClassName: currentVolumeAttributesClassName } = claim.status?.phase === 'Bound' ? {} : (volume.spec ?? {});
  const status = {
    ...{ phase: 'Bound', accessModes: volume.spec?.accessModes ?? [], capacity },
    ...(currentVolumeAttributesClassName && { currentVolumeAttributesClassName }),
  };
  const resized: VolumeWrite[] = isExpanded ? [{ verb: 'update', object: { ...volume, spec: { ...volume.spec, capacity } } }] : [];
  return {
    writes: [...resized, ...statusWrites(claim, { ...claim.status, ...status })],
    events: isExpanded ? [normal('VolumeResizeSuccessful', 'Resize volume succeeded')] : [],
  };
}

/**
 * The next step of a volume: its phase, and its deletion once its claim is deleted, if it was provisioned. `claim` is the claim that it refers to.
 * Kubernetes documentation, "Persistent Volumes: Reclaiming".
 */
export function reconcileVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined, time: string): VolumeWrite[] {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
  const isKept = claim && (claimRef?.uid === undefined || claim.metadata?.uid === claimRef.uid);
  const isBound = isKept && claim.spec?.volumeName === volume.metadata?.name;
  const phase = !claimRef?.uid ? 'Available' : isBound ? 'Bound' : isKept ? (volume.status?.phase ?? 'Available') : 'Released';
  const isDeleted = phase === 'Released' && policy === 'Delete' && volume.metadata?.annotations?.[provisionedBy] !== undefined;
  const status = { ...volume.status, phase, lastPhaseTransitionTime: time };
  return [
    ...(volume.status?.phase === phase ? [] : [{ verb: 'updateStatus', object: { ...volume, status } } as const]),
    ...(isDeleted && !volume.metadata?.deletionTimestamp ? [{ verb: 'delete', object: volume } as const] : []),
  ];
}
