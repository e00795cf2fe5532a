import type { Pod, PodCondition, PodStatus } from '@nodeagent/api';
import { podQosClass } from '@nodeagent/api/helpers';
import { equalData, equalLists, equalScalars } from './compare/equal-data.js';
import { equalConditions, equalContainers, equalRequirements, equalResources, equalTimes } from './compare/equal-values.js';
import { normalizeConditions, normalizeContainers, wholeSeconds } from './compare/normalize-values.js';
import { initOrder, nameOrder } from './compare/order.js';
import { generateConditions } from './generate/generate-conditions.js';
import type { StatusFacts } from './generate/status-input.js';
import { conditionPatch, type Equal, mergeList, mergeMap, replace, type StatusPatch } from './sink/patch-values.js';

/** What the kubelet does with one field of a pod's status. */
export interface FieldRule<T> {
  /** The value in a new status; undefined leaves the field out. Absent: the field is not generated. */
  generate?(facts: StatusFacts): T | undefined;
  /** Converts a value to the form in which the API server stores it; returns the same value if it has it. Absent: all values have it. */
  normalize?(value: T, pod: Pod): T;
  /** Whether two values are equal by the kubelet's rules. Absent: differences are ignored. */
  equal?(a: T | null | undefined, b: T | null | undefined): boolean;
  /** Writes a change into the patch. Absent: the kubelet does not write the field. */
  patch?(patch: StatusPatch, field: string, from: T | null | undefined, to: T | null | undefined): void;
  /** What identifies an element of a list that a patch merges element by element. */
  mergeKey?: 'type' | 'ip';
  /** Other components write the field: a merged status has the API server's value. */
  isOfOthers?: true;
}

type FieldRules = { readonly [F in keyof PodStatus]-?: FieldRule<NonNullable<PodStatus[F]>> };

/** A value that a patch replaces as a whole. */
const whole = <T>(equal: Equal<T>) => ({ equal, patch: replace(equal) });
/** A map of which a patch has the changed entries. */
const map = <T extends object>(equal: Equal<T>) => ({ equal, patch: mergeMap(equal) });

const scalar = whole<string | number>(equalScalars);
/** A text that other components write; the kubelet notices a change. */
const othersText = { equal: equalScalars };
const containers = whole(equalListsBy(equalContainers));
const addresses = {
  equal: equalListsBy<{ ip?: string }>(equalData),
  mergeKey: 'ip',
  patch: mergeList<'ip', { ip?: string }>('ip', () => undefined),
} as const;
const ofOthers = { isOfOthers: true } as const;

/** One row a field: a status is generated, normalised, compared, merged and patched by this table, in its order. */
export const fieldRules: FieldRules = {
  observedGeneration: { ...scalar, generate: ({ pod }) => pod.metadata?.generation || undefined },
  phase: { ...scalar, generate: ({ settled }) => settled.phase },
  reason: { ...scalar, generate: ({ settled }) => settled.reason },
  message: { ...scalar, generate: ({ settled }) => settled.message },
  hostIP: { ...scalar, generate: (facts) => facts.addresses.hostIP },
  hostIPs: { ...addresses, generate: (facts) => facts.addresses.hostIPs },
  podIP: { ...scalar, generate: (facts) => facts.addresses.podIP },
  podIPs: { ...addresses, generate: (facts) => facts.addresses.podIPs },
  qosClass: { ...scalar, generate: ({ pod }) => podQosClass(pod) },
  startTime: { ...whole(equalTimes), normalize: wholeSeconds },
  initContainerStatuses: {
    ...containers,
    normalize: (list, pod) => initOrder(pod.spec?.initContainers ?? [], normalizeContainers(list, pod)),
    generate: ({ containers: { initContainerStatuses: list } }) => (list.length > 0 ? list : undefined),
  },
  containerStatuses: {
    ...containers,
    normalize: (list, pod) => nameOrder(normalizeContainers(list, pod)),
    generate: (facts) => facts.containers.containerStatuses,
  },
  ephemeralContainerStatuses: {
    ...containers,
    normalize: (list, pod) => nameOrder(normalizeContainers(list, pod)),
    generate: ({ containers: { ephemeralContainerStatuses: list } }) => (list.length > 0 ? list : undefined),
  },
  resources: { ...map(equalRequirements), generate: ({ podResources }) => podResources?.resources },
  allocatedResources: { ...map(equalResources), generate: ({ podResources }) => podResources?.allocatedResources },
  conditions: {
    equal: equalConditions,
    mergeKey: 'type',
    patch: mergeList<'type', PodCondition>('type', conditionPatch),
    normalize: normalizeConditions,
    generate: generateConditions,
  },
  nominatedNodeName: othersText,
  resize: othersText,
  resourceClaimStatuses: ofOthers,
  extendedResourceClaimStatus: ofOthers,
  nodeAllocatableResourceClaimStatuses: ofOthers,
};

/** The row of a field. */
export function ruleOf<F extends keyof PodStatus>(field: F): FieldRule<PodStatus[F]> {
  return fieldRules[field] as FieldRule<PodStatus[F]>;
}

/** The fields whose row has that rule, in the order of the table. */
export function fieldsWith(rule: keyof FieldRule<never>): readonly (keyof PodStatus)[] {
  return (Object.keys(fieldRules) as (keyof PodStatus)[]).filter((field) => rule in ruleOf(field));
}

function equalListsBy<T>(equal: (a: T, b: T) => boolean): Equal<T[]> {
  return (a, b) => equalLists(a, b, equal);
}
