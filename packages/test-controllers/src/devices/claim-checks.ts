import type { AllocationResult, Pod, ResourceClaim } from '@nodeagent/api';
import { claimName } from './claim-requests.js';
import { canBeReserved, isOwnedBy, isReservedFor, type NamedClaim } from './pod-claims.js';

/** Why a pod waits for a claim, without an attempt to schedule it. */
export function claimProblem(pod: Pod, { claimName: name, isGenerated }: NamedClaim, claim: ResourceClaim | undefined): string | undefined {
  const { namespace, name: podName } = pod.metadata ?? {};
  if (name === undefined) return `pod "${namespace}/${podName}": ResourceClaim not created yet`;
  if (claim === undefined) return `resourceclaim.resource.k8s.io "${name}" not found`;
  if (claim.metadata?.deletionTimestamp) return `resourceclaim "${name}" is being deleted`;
  if (isGenerated && !isOwnedBy(claim, pod)) {
    return `ResourceClaim ${claimName(claim)} was not created for pod ${namespace}/${podName} (pod is not owner)`;
  }
  return undefined;
}

/** Why no further pod can use a claim. */
export const claimInUse = (claim: ResourceClaim, pod: Pod): string | undefined =>
  claim.status?.allocation && !canBeReserved(claim) && !isReservedFor(claim, pod) ? 'resourceclaim in use' : undefined;

/** Which class of a claim without an allocation is missing. */
export function classProblem({ spec, status }: ResourceClaim, classOf: (name: string) => unknown): string | undefined {
  if (status?.allocation) return undefined;
  for (const { name, exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    const requested = exactly ? [{ name, ...exactly }] : firstAvailable.map((each) => ({ ...each, name: `${name}/${each.name}` }));
    const missing = requested.find(({ deviceClassName }) => classOf(deviceClassName) === undefined);
    if (missing) return `request ${missing.name}: device class ${missing.deviceClassName} does not exist`;
  }
  return undefined;
}

/** Whether the devices of a claim are ready for the pod to be bound: Kubernetes documentation, "Device Binding Conditions". */
export function areConditionsMet(allocation: AllocationResult | undefined, { status }: ResourceClaim): boolean {
  return (allocation?.devices?.results ?? []).every(({ driver, pool, device, bindingConditions = [] }) => {
    const reported = status?.devices?.find((each) => each.driver === driver && each.pool === pool && each.device === device);
    return bindingConditions.every((type) => reported?.conditions?.some((each) => each.type === type && each.status === 'True'));
  });
}

/** Maximum number of alternatives of a request. */
const maxAlternatives = 8;

/** How good the alternatives are that a claim got: more for those listed first. */
export function optionScore({ spec }: ResourceClaim, allocation: AllocationResult | undefined): number {
  const names = new Set((allocation?.devices?.results ?? []).map(({ request }) => request));
  let score = 0;
  for (const { name, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    for (const [index, each] of firstAvailable.entries()) if (names.has(`${name}/${each.name}`)) score += maxAlternatives - index;
  }
  return score;
}
