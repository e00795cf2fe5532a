import type { Pod, ResourceClaim } from '@nodeagent/api';
import { podKey, podUid } from '@nodeagent/api/helpers';

/**
 * Throws an Error unless the pod may use the claim: the claim is reserved for it, and belongs to it if it was generated from a template.
 * Names can be reused, so both compare UIDs.
 */
export function checkClaim(pod: Pod, { metadata, status }: ResourceClaim, mustBeOwner: boolean): void {
  const uid = podUid(pod);
  const name = `ResourceClaim ${metadata?.namespace}/${metadata?.name}`;
  if (mustBeOwner && !metadata?.ownerReferences?.some((owner) => owner.controller && owner.uid === uid)) {
    throw new Error(`${name} was not created for pod ${podKey(pod)} (pod is not owner)`);
  }
  if (!status?.reservedFor?.some((consumer) => consumer.uid === uid)) {
    throw new Error(`${name} (UID ${metadata?.uid}) is not reserved for pod ${podKey(pod)} (UID ${uid})`);
  }
}
