import {
  errorMessage,
  NodeAgentError,
  type ObjectGetter,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type Volume,
  type VolumeSpec,
} from '@nodeagent/api';
import { podUid, volumeClaimName } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';
import type { UsedVolumes } from '../state/pod-volumes.js';

/** Read claims and persistent volumes; absent without a cluster. */
export interface ClaimGetters {
  claims?: ObjectGetter<PersistentVolumeClaim>;
  persistentVolumes?: ObjectGetter<PersistentVolume>;
}

/** A pod's volume, with its claim. */
export interface PodVolumeSpec {
  spec: VolumeSpec;
  claim?: PersistentVolumeClaim;
  /** The group in the persistent volume's annotation, unparsed; empty if none. */
  gid: string;
}

const claimProtection = 'kubernetes.io/pvc-protection';
const gidAnnotation = 'pv.beta.kubernetes.io/gid';

/**
 * Resolves a pod's volume: to itself, or to the persistent volume of its claim, which must be bound and have the volume mode that the
 * pod's containers use. Rejects with `ClaimNotReady`. Kubernetes documentation, "Persistent Volumes", "Ephemeral Volumes".
 */
export async function podVolumeSpec(
  pod: Pod,
  volume: Volume,
  used: UsedVolumes,
  { claims, persistentVolumes }: ClaimGetters,
  signal: AbortSignal,
): Promise<PodVolumeSpec> {
  const claimName = volumeClaimName(pod, volume);
  if (claimName === undefined) return { spec: { volume, readOnly: false }, gid: '' };

  const namespace = pod.metadata?.namespace ?? '';
  const readOnly = volume.persistentVolumeClaim?.readOnly ?? false;
  const failed = (message: string, cause?: unknown) => notReady(`error processing PVC ${namespace}/${claimName}: ${message}`, cause);

  const claim = await get(claims, { namespace, name: claimName }, signal).catch((error) => {
    throw failed(`failed to fetch PVC from API server: ${errorMessage(error)}`, error);
  });
  const problem = claimProblem(claim);
  if (problem !== undefined) throw failed(problem);
  if (volume.ephemeral && !isControlledBy(claim, pod))
    throw notReady(`PVC ${namespace}/${claimName} was not created for pod ${namespace}/${pod.metadata?.name} (pod is not owner)`);

  const name = claim.spec?.volumeName ?? '';
  const persistentVolume = await get(persistentVolumes, { name }, signal).catch((error) => {
    throw failed(`failed to fetch PV ${name} from API server: ${errorMessage(error)}`, error);
  });
  const { claimRef, volumeMode } = persistentVolume.spec ?? {};
  if (!claimRef) throw failed(`found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`);
  const [refUid, claimUid] = [claimRef.uid ?? '', claim.metadata?.uid ?? ''];
  if (refUid !== claimUid)
    throw failed(`found PV object ${name} but its pv.Spec.ClaimRef.UID ${refUid} does not point to claim.UID ${claimUid}`);

  if (!volumeMode) throw notReady(`cannot get volumeMode for volume: ${name}`);
  if (used.mounts.has(volume.name) && volumeMode !== 'Filesystem')
    throw notReady(`volume ${volume.name} has volumeMode ${volumeMode}, but is specified in volumeMounts`);
  if (used.devices.has(volume.name) && volumeMode !== 'Block')
    throw notReady(`volume ${volume.name} has volumeMode ${volumeMode}, but is specified in volumeDevices`);

  return { spec: { persistentVolume, readOnly }, claim, gid: persistentVolume.metadata?.annotations?.[gidAnnotation] ?? '' };
}

/** Why the claim cannot be used: it is not bound, or it is being deleted. */
function claimProblem({ metadata, spec, status }: PersistentVolumeClaim): string | undefined {
  if (metadata?.deletionTimestamp && !metadata.finalizers?.includes(claimProtection)) return 'PVC is being deleted';
  if (status?.phase !== 'Bound') return 'PVC is not bound';
  return spec?.volumeName ? undefined : 'PVC has empty pvc.Spec.VolumeName';
}

function isControlledBy({ metadata }: PersistentVolumeClaim, pod: Pod): boolean {
  const controller = metadata?.ownerReferences?.find(({ controller }) => controller);
  return controller !== undefined && controller.uid === podUid(pod);
}

async function get<T extends { metadata?: object }>(
  getter: ObjectGetter<T> | undefined,
  key: { namespace?: string; name: string },
  signal: AbortSignal,
): Promise<T> {
  if (getter === undefined) throw notReady('no API server is configured');
  return getter.get(key, { signal });
}

const notReady = (message: string, cause?: unknown) =>
  new NodeAgentError(volumeManagerErrorCodes.claimNotReady, message, { retryable: true, cause });
