import { errorMessage, isOperationFinished, NodeAgentError, type PersistentVolumeClaim } from '@nodeagent/api';
import { formatTime, podReference, Quantity, specName } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';
import type { VolumeToMount } from '../state/desired-state.js';
import type { OperationContext } from './context.js';
import { decideExpansion } from './expansion-decision.js';
import { isInfeasibleError, isInUseExpansionError } from './expansion-errors.js';
import { step } from './operation-error.js';

export interface ExpandRequest {
  wanted: VolumeToMount;
  devicePath: string;
  deviceMountPath: string;
  /** The global mount path of the device; empty if it is not mounted. */
  deviceStagePath: string;
  signal: AbortSignal;
}

/** Expands a volume that is being mounted to its persistent volume's capacity, if it is smaller and the node must expand it now. */
export async function expandDuringMount(context: OperationContext, request: ExpandRequest): Promise<void> {
  const { wanted } = request;
  const { plugin, spec } = wanted.resolved;
  if (spec.persistentVolume === undefined || plugin.expandable?.requiresFSResize !== true || !context.claims) return;
  const claim = await readClaim(context, request);
  const capacity = capacityOf(wanted);
  if (Quantity.parse(claim.status?.capacity?.storage ?? '0').cmp(capacity) >= 0) return;
  await expand(context, request, claim, 'MountVolume.NodeExpandVolume');
}

/** Expands a volume in use. Rejects with `FailedPrecondition` unless the node must expand it now. */
export async function expandInUse(context: OperationContext, request: ExpandRequest): Promise<void> {
  const { spec } = request.wanted.resolved;
  const isDone = await step('NodeExpandVolume.NodeExpandVolume failed', spec, async () =>
    expand(context, request, await readClaim(context, request), 'NodeExpandVolume.NodeExpandVolume'),
  );
  if (isDone) return;
  throw new NodeAgentError(volumeManagerErrorCodes.failedPrecondition, `volume ${specName(spec)} cannot be expanded by the node yet`, {
    retryable: true,
  });
}

/** Resolves to false if the node must not expand the volume now. */
async function expand(context: OperationContext, request: ExpandRequest, claim: PersistentVolumeClaim, name: string): Promise<boolean> {
  const { actual, recorder } = context;
  const { wanted, devicePath, deviceMountPath, deviceStagePath, signal } = request;
  const { volumeName, pod, resolved } = wanted;
  const { spec, plugin } = resolved;
  const claimReference = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...referenceOf(claim) };
  if (spec.readOnly) {
    const message = `${name} failed for volume "${specName(spec)}" requested read-only file system`;
    for (const object of [podReference(pod), claimReference]) recorder.event(object, 'Warning', 'FileSystemResizeFailed', message);
    actual.markVolumeAsResized(volumeName, capacityOf(wanted));
    return true;
  }
  const decision = decideExpansion(claim, capacityOf(wanted));
  if (!decision.expand || plugin.expandable === undefined) return false;
  const { newSize, oldSize, reports } = decision;
  const report = (status: PersistentVolumeClaim['status'] | { allocatedResourceStatuses: { storage: string | null } }) =>
    reports ? patchStatus(context, claim, status, signal) : undefined;

  await report({ allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } });
  try {
    await plugin.expandable.nodeExpand({ spec, newSize, oldSize, devicePath, deviceMountPath, deviceStagePath, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    if (isInUseExpansionError(error)) actual.markForInUseExpansionError(volumeName);
    if (isInfeasibleError(error)) await report({ allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } });
    else if (isOperationFinished(error)) await report({ conditions: [...otherConditions(claim), failedCondition(context, error)] });
    throw error;
  }
  const message = `${name} succeeded for volume "${specName(spec)}" ${context.nodeName}`;
  for (const object of [podReference(pod), claimReference]) recorder.event(object, 'Normal', 'FileSystemResizeSuccessful', message);
  await report({
    capacity: { ...claim.status?.capacity, storage: newSize.toString() },
    allocatedResourceStatuses: { storage: null },
    conditions: otherConditions(claim),
  });
  actual.markVolumeAsResized(volumeName, newSize);
  return true;
}

const capacityOf = ({ persistentVolumeSize }: VolumeToMount) => persistentVolumeSize ?? Quantity.zero;

/** Reads the claim of the volume. */
async function readClaim({ claims }: OperationContext, { wanted, signal }: ExpandRequest): Promise<PersistentVolumeClaim> {
  const { namespace, name } = wanted.resolved.spec.persistentVolume?.spec?.claimRef ?? {};
  if (!claims || !name) throw new Error('the persistent volume has no claim');
  return claims.get({ name, ...(namespace !== undefined && { namespace }) }, { signal });
}

async function patchStatus(
  { claimStatuses }: OperationContext,
  claim: PersistentVolumeClaim,
  status: object | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = referenceOf(claim);
  if (!claimStatuses) return;
  await claimStatuses.patch({ namespace, name }, { status }, { type: 'merge', subresource: 'status', signal });
}

function referenceOf({ metadata }: PersistentVolumeClaim) {
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '', ...(metadata?.uid !== undefined && { uid: metadata.uid }) };
}

const resizeConditions = new Set(['FileSystemResizePending', 'Resizing', 'NodeResizeError', 'ControllerResizeError']);

const otherConditions = ({ status }: PersistentVolumeClaim) => (status?.conditions ?? []).filter(({ type }) => !resizeConditions.has(type));

function failedCondition({ clock }: OperationContext, error: unknown) {
  const message = `failed to expand pvc with ${errorMessage(error)}`;
  return { type: 'NodeResizeError', status: 'True', lastTransitionTime: formatTime(clock.now()), message };
}
