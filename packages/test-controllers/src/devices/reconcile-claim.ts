import type { Pod, ResourceClaim } from '@nodeagent/api';
import { isDone } from './pod-claims.js';

/** Keeps a claim that has an allocation. */
export const claimFinalizer = 'resource.kubernetes.io/delete-protection';

/** A write of a claim. `updateStatus` writes the subresource, with the complete object. */
export interface ClaimWrite {
  verb: 'updateStatus' | 'update' | 'delete';
  object: ResourceClaim;
}

type Consumer = NonNullable<NonNullable<ResourceClaim['status']>['reservedFor']>[number];

/**
 * The next steps of a claim, in order: finished and deleted pods lose their reservation, a claim without one its devices, and the claim of a pod that does
 * not need it is deleted. `podOf` returns the pod with a name. Kubernetes documentation, "Dynamic Resource Allocation: ResourceClaim".
 */
export function reconcileResourceClaim(claim: ResourceClaim, podOf: (name: string) => Pod | undefined): ClaimWrite[] {
  const { metadata, status } = claim;
  const { reservedFor = [], allocation } = status ?? {};
  const remaining = reservedFor.filter((consumer) => isKept(consumer, podOf));
  const isProtected = metadata?.finalizers?.includes(claimFinalizer) === true;
  const isReleased = remaining.length < reservedFor.length;
  const isFree = remaining.length === 0 && isProtected && (isReleased || metadata?.deletionTimestamp !== undefined);
  const writes: ClaimWrite[] = [];
  let after = claim;
  if (isReleased || (isFree && allocation)) {
    after = { ...claim, status: withReservations(status, remaining, isFree) };
    writes.push({ verb: 'updateStatus', object: after });
  }
  if (isFree) {
    const { finalizers = [], ...rest } = metadata ?? {};
    const others = finalizers.filter((each) => each !== claimFinalizer);
    after = { ...after, metadata: { ...rest, ...(others.length > 0 && { finalizers: others }) } };
    writes.push({ verb: 'update', object: after });
  }
  return remaining.length === 0 && isUnneeded(claim, podOf) ? [...writes, { verb: 'delete', object: after }] : writes;
}

/** Consumers that are no pods are kept. */
function isKept({ apiGroup = '', resource, name, uid }: Consumer, podOf: (name: string) => Pod | undefined): boolean {
  if (apiGroup !== '' || resource !== 'pods') return true;
  const pod = podOf(name);
  return pod?.metadata?.uid === uid && !isDone(pod);
}

/** The devices that drivers report end with the allocation. */
function withReservations(status: ResourceClaim['status'], reservedFor: Consumer[], isFree: boolean): ResourceClaim['status'] {
  const { reservedFor: _all, allocation, devices, ...rest } = status ?? {};
  return {
    ...rest,
    ...(!isFree && allocation && { allocation }),
    ...(!isFree && devices && { devices }),
    ...(reservedFor.length > 0 && { reservedFor }),
  };
}

/** Whether the claim was created for a pod that is done or replaced. The garbage collector deletes the claims of deleted pods. */
function isUnneeded({ metadata }: ResourceClaim, podOf: (name: string) => Pod | undefined): boolean {
  const owner = metadata?.ownerReferences?.find(({ controller, apiVersion, kind }) => controller && apiVersion === 'v1' && kind === 'Pod');
  const pod = owner && podOf(owner.name);
  return pod !== undefined && !metadata?.deletionTimestamp && (pod.metadata?.uid !== owner?.uid || isDone(pod));
}
