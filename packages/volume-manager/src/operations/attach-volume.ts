import { NodeAgentError } from '@nodeagent/api';
import { podReference, Quantity, specName } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';
import type { AttachedVolume } from '../state/actual-state.js';
import type { VolumeToMount } from '../state/desired-state.js';
import type { OperationContext } from './context.js';
import { operationError, step } from './operation-error.js';

/** Throws `FailedPrecondition` if the controller attaches the volume and the cached Node's status does not list it yet. */
export function requireInNodeStatus({ cachedNode }: Pick<OperationContext, 'cachedNode'>, { attachable, volumeName }: VolumeToMount): void {
  const node = cachedNode();
  if (!attachable || node === undefined || node.status?.volumesAttached?.some(({ name }) => name === volumeName)) return;
  throw new NodeAgentError(volumeManagerErrorCodes.failedPrecondition, `volume ${volumeName} is not yet in node's status`, {
    retryable: true,
  });
}

/** Marks a volume as attached: at once if it is not attachable, else when the Node's status lists it. */
export async function verifyAttached(context: OperationContext, wanted: VolumeToMount, signal: AbortSignal): Promise<void> {
  const { actual, getNode } = context;
  const { volumeName, resolved, attachable, reportedInUse } = wanted;
  const attached = async (devicePath: string) => {
    const size = await claimSize(context, wanted, signal);
    actual.markVolumeAsAttached(volumeName, resolved, devicePath);
    if (size) actual.initializeClaimSize(volumeName, size);
  };
  if (!attachable) return attached('');
  const failed = (problem: unknown) => operationError('VerifyControllerAttachedVolume failed', resolved.spec, problem);
  if (!reportedInUse) throw failed("Volume has not been added to the list of VolumesInUse in the node's volume status");
  if (getNode === undefined) throw failed('no API server is configured');
  const node = await step('VerifyControllerAttachedVolume failed fetching node from API server', resolved.spec, () => getNode(signal));
  const found = node.status?.volumesAttached?.find(({ name }) => name === volumeName);
  if (found === undefined) throw failed('Volume not attached according to node status');
  await attached(found.devicePath);
}

/** Attaches a volume if the attach/detach controller does not. */
export async function attachVolume(
  { actual, nodeName, recorder }: OperationContext,
  wanted: VolumeToMount,
  signal: AbortSignal,
): Promise<void> {
  const { volumeName, resolved, pod } = wanted;
  const { spec, plugin } = resolved;
  const attacher = plugin.attachable?.attacher();
  const devicePath = await step('AttachVolume.Attach failed', spec, () => {
    if (attacher?.attach === undefined) throw new Error('the plugin does not support attaching by the agent');
    return attacher.attach(spec, nodeName, signal);
  });
  actual.markVolumeAsAttached(volumeName, resolved, devicePath);
  const message = `AttachVolume.Attach succeeded for volume "${specName(spec)}" `;
  recorder.event(podReference(pod), 'Normal', 'SuccessfulAttachVolume', message);
}

/** Detaches a volume if the attach/detach controller does not. */
export async function detachVolume({ actual, nodeName }: OperationContext, volume: AttachedVolume, signal: AbortSignal): Promise<void> {
  const { volumeName, plugin, spec } = volume;
  const attacher = plugin.attachable?.attacher();
  await step('DetachVolume.Detach failed', spec, () => attacher?.detach?.(plugin.volumeName(spec), nodeName, signal));
  actual.markVolumeAsDetached(volumeName);
}

/** Reads the capacity in the claim's status unless it is known. */
async function claimSize({ actual, claims }: OperationContext, wanted: VolumeToMount, signal: AbortSignal): Promise<Quantity | undefined> {
  const { persistentVolume } = wanted.resolved.spec;
  const known = actual.get(wanted.volumeName)?.claimSize;
  const { namespace, name } = persistentVolume?.spec?.claimRef ?? {};
  if ((known && !known.isZero) || !claims || !name) return undefined;
  const claim = await claims.get({ name, ...(namespace !== undefined && { namespace }) }, { signal });
  return Quantity.parse(claim.status?.capacity?.storage ?? '0');
}
