import type { Container, Pod } from '@nodeagent/api';
import { podKey, Quantity } from '@nodeagent/api/helpers';

/** A claim of a pod, by the name of its ResourceClaim. */
export interface PodClaim {
  /** Name in `spec.resourceClaims`; absent for the claim that the scheduler created for extended resources. */
  name?: string;
  claimName: string;
  /** Whether the claim was generated from a template, so that the pod must be its owner. */
  mustBeOwner: boolean;
}

/** The claims of a pod. Leaves out claims that need no ResourceClaim. Throws an Error for a claim that has not been created yet. */
export function podClaims(pod: Pod): PodClaim[] {
  const claims = (pod.spec?.resourceClaims ?? []).flatMap((claim) => podClaim(pod, claim));
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return extended ? [...claims, { claimName: extended, mustBeOwner: false }] : claims;
}

/** Whether the pod has claims, so that {@link podClaims} may return some. */
export function hasClaims({ spec, status }: Pod): boolean {
  return (spec?.resourceClaims?.length ?? 0) > 0 || Boolean(status?.extendedResourceClaimStatus?.resourceClaimName);
}

type SpecClaim = NonNullable<NonNullable<Pod['spec']>['resourceClaims']>[number];

function podClaim(pod: Pod, { name, resourceClaimName, resourceClaimTemplateName }: SpecClaim): PodClaim[] {
  if (resourceClaimName !== undefined) return [{ name, claimName: resourceClaimName, mustBeOwner: false }];
  if (resourceClaimTemplateName === undefined) {
    throw new Error(`pod ${podKey(pod)}: claim ${name} has neither resourceClaimName nor resourceClaimTemplateName`);
  }
  const status = pod.status?.resourceClaimStatuses?.find((each) => each.name === name);
  if (status === undefined) throw new Error(`pod ${podKey(pod)}: ResourceClaim of claim ${name} is not created yet`);
  return status.resourceClaimName === undefined ? [] : [{ name, claimName: status.resourceClaimName, mustBeOwner: true }];
}

/** The requests of a container by ResourceClaim; an empty request stands for all requests of the claim. */
export function containerClaimRequests(pod: Pod, container: Container): Map<string, string[]> {
  const requests = new Map<string, string[]>();
  const add = (claimName: string, request: string) => requests.set(claimName, [...(requests.get(claimName) ?? []), request]);
  const used = container.resources?.claims ?? [];
  if (used.length > 0) {
    for (const { name, claimName } of podClaims(pod)) {
      for (const claim of used) if (claim.name === name) add(claimName, claim.request ?? '');
    }
  }
  const { resourceClaimName = '', requestMappings = [] } = pod.status?.extendedResourceClaimStatus ?? {};
  for (const { containerName, resourceName, requestName } of requestMappings) {
    const quantity = container.resources?.requests?.[resourceName];
    if (containerName === container.name && quantity !== undefined && !Quantity.parse(quantity).isZero) add(resourceClaimName, requestName);
  }
  return requests;
}
