import type { Pod, ResourceClaim, ResourceClaimTemplate } from '@nodeagent/api';
import { isTerminalPhase } from '@nodeagent/api/helpers';

/** Marks a claim that was created for the entry with this name in `spec.resourceClaims` of its owner. */
const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name';

/** Maximum number of consumers of a claim. */
const maxConsumers = 256;

type SpecClaim = NonNullable<NonNullable<Pod['spec']>['resourceClaims']>[number];

/** What a pod's claims are reconciled with. */
export interface PodClaimsInput {
  pod: Pod;
  /** The claims of the pod's namespace by name. */
  claimOf(name: string): ResourceClaim | undefined;
  /** The claims whose controller is the pod. */
  owned: readonly ResourceClaim[];
  templateOf(name: string): ResourceClaimTemplate | undefined;
}

/** What the controller does next for the claims of a pod. */
export interface PodClaimsStep {
  create: ResourceClaim[];
  /** The new `status.resourceClaimStatuses`. */
  statuses?: NonNullable<NonNullable<Pod['status']>['resourceClaimStatuses']>;
  /** Allocated claims of a pod that has a node without the scheduler; with the new consumer. */
  reserve: ResourceClaim[];
  /** Message of the event `FailedResourceClaimCreation`. */
  problem?: string;
}

/** A claim of a pod by the name of its ResourceClaim. */
export interface NamedClaim {
  name: string;
  /** Undefined: it is not created yet. Empty: it is not needed. */
  claimName: string | undefined;
  /** Whether it was created from a template, so that the pod is its owner. */
  isGenerated: boolean;
}

/** The claims of a pod. */
export function namedClaims({ spec, status }: Pod): NamedClaim[] {
  return (spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => {
    if (resourceClaimName !== undefined) return { name, claimName: resourceClaimName, isGenerated: false };
    const known = status?.resourceClaimStatuses?.find((each) => each.name === name);
    return { name, claimName: known && (known.resourceClaimName ?? ''), isGenerated: true };
  });
}

/** Whether no container of the pod runs, nor will. */
export const isDone = ({ metadata, spec, status }: Pod): boolean =>
  isTerminalPhase(status?.phase) || (Boolean(metadata?.deletionTimestamp) && !spec?.nodeName);

/** The claims that a pod's templates make, and their names in its status. Kubernetes documentation, "Dynamic Resource Allocation: ResourceClaimTemplate". */
export function reconcilePodClaims(input: PodClaimsInput): PodClaimsStep {
  const { pod, claimOf } = input;
  const step: PodClaimsStep = { create: [], reserve: [] };
  if (pod.metadata?.deletionTimestamp || isDone(pod)) return step;
  const found: { name: string; resourceClaimName: string }[] = [];
  for (const claim of namedClaims(pod)) {
    const existing = claim.claimName ? claimOf(claim.claimName) : undefined;
    if (pod.spec?.nodeName && existing && mustReserve(pod, existing, claim)) step.reserve.push(withConsumer(existing, pod));
    if (!claim.isGenerated || claim.claimName === '' || (existing && isOwnedBy(existing, pod))) continue;
    const orphan = input.owned.find(({ metadata }) => metadata?.annotations?.[podClaimAnnotation] === claim.name);
    if (orphan) found.push({ name: claim.name, resourceClaimName: orphan.metadata?.name ?? '' });
    else addClaim(step, input, claim.name);
  }
  if (found.length > 0 && step.create.length === 0) step.statuses = withStatuses(pod, found);
  return step;
}

function addClaim(step: PodClaimsStep, { pod, templateOf }: PodClaimsInput, name: string): void {
  const { resourceClaimTemplateName: templateName = '' } =
    pod.spec?.resourceClaims?.find((each) => each.name === name) ?? ({} as SpecClaim);
  const template = templateOf(templateName);
  if (template) step.create.push(claimFor(pod, name, template));
  else {
    const missing = `resourceclaimtemplate.resource.k8s.io "${templateName}" not found`;
    step.problem ??= `PodResourceClaim ${name}: resource claim template "${templateName}": ${missing}`;
  }
}

function claimFor(pod: Pod, name: string, { spec }: ResourceClaimTemplate): ResourceClaim {
  const { name: podName = '', namespace = '', uid = '' } = pod.metadata ?? {};
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: generatedName(podName, name),
      namespace,
      annotations: { ...spec.metadata?.annotations, [podClaimAnnotation]: name },
      ...(spec.metadata?.labels && { labels: spec.metadata.labels }),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: podName, uid, controller: true }],
    },
    spec: spec.spec,
  };
}

/** Both names are shortened in proportion if they leave no place for the random part. */
function generatedName(podName: string, name: string): string {
  const full = `${podName}-${name}-`;
  const max = 57;
  if (full.length <= max) return full;
  const short = (text: string) => text.slice(0, Math.floor((text.length * max) / full.length));
  return `${short(podName)}-${short(name)}`;
}

const withStatuses = ({ status }: Pod, found: { name: string; resourceClaimName: string }[]) => [
  ...(status?.resourceClaimStatuses ?? []).filter(({ name }) => !found.some((each) => each.name === name)),
  ...found,
];

/** Whether the claim was created for the pod. */
export const isOwnedBy = ({ metadata }: ResourceClaim, pod: Pod): boolean =>
  metadata?.ownerReferences?.some(({ controller, uid }) => controller && uid === pod.metadata?.uid) ?? false;

export const isReservedFor = ({ status }: ResourceClaim, pod: Pod): boolean =>
  status?.reservedFor?.some(({ uid }) => uid === pod.metadata?.uid) ?? false;

export const canBeReserved = ({ status }: ResourceClaim): boolean => (status?.reservedFor?.length ?? 0) < maxConsumers;

const mustReserve = (pod: Pod, claim: ResourceClaim, { isGenerated }: NamedClaim): boolean =>
  claim.status?.allocation !== undefined && !isReservedFor(claim, pod) && canBeReserved(claim) && (!isGenerated || isOwnedBy(claim, pod));

/** The claim, reserved for the pod too. */
export function withConsumer(claim: ResourceClaim, { metadata }: Pod): ResourceClaim {
  const consumer = { resource: 'pods', name: metadata?.name ?? '', uid: metadata?.uid ?? '' };
  return { ...claim, status: { ...claim.status, reservedFor: [...(claim.status?.reservedFor ?? []), consumer] } };
}
