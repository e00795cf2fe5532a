import type { LabelSelector, Pod, PodAffinity, PodAffinityTerm } from '@nodeagent/api';
import { matchesLabelSelector } from '@nodeagent/api/helpers';

export type Labels = Readonly<Record<string, string>>;
export type LabelMatcher = (labels: Labels) => boolean;

/** Whether labels match a selector; an absent or invalid selector matches nothing. */
export function labelMatcher(selector: LabelSelector | undefined): LabelMatcher {
  if (!selector) return () => false;
  if (!selector.matchExpressions?.length) {
    const wanted = Object.entries(selector.matchLabels ?? {});
    return (labels) => wanted.every(([key, value]) => labels[key] === value);
  }
  return (labels) => {
    try {
      return matchesLabelSelector(selector, labels);
    } catch {
      return false;
    }
  };
}

/** A selector with the values of the pod's own labels as requirements. */
export function matcherWithKeys(
  selector: LabelSelector | undefined,
  own: Labels,
  same: readonly string[] = [],
  other: readonly string[] = [],
): LabelMatcher {
  const matches = labelMatcher(selector);
  const [equal, different] = [same, other].map((keys) => keys.filter((key) => own[key] !== undefined)) as [string[], string[]];
  if (equal.length + different.length === 0) return matches;
  return (labels) =>
    matches(labels) && equal.every((key) => labels[key] === own[key]) && different.every((key) => labels[key] !== own[key]);
}

/** A term of pod affinity, read once. */
export interface AffinityTerm {
  readonly topologyKey: string;
  /** Of preferred terms; of required ones 1. */
  readonly weight: number;
  readonly matches: LabelMatcher;
  readonly namespaces: ReadonlySet<string>;
  /** Absent: no further namespaces. */
  readonly matchesNamespace?: LabelMatcher;
  /** What it was read from, to recognize equal terms. */
  readonly text: string;
}

/** The terms of affinity or anti-affinity of a pod. */
export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly preferred: readonly AffinityTerm[];
}

const none: AffinityTerms = { required: [], preferred: [] };

export function affinityTerms({ metadata }: Pod, rules: PodAffinity | undefined): AffinityTerms {
  if (!rules) return none;
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred } = rules;
  const read = (term: PodAffinityTerm, weight: number): AffinityTerm => {
    const { namespaces, namespaceSelector, labelSelector, matchLabelKeys, mismatchLabelKeys, topologyKey } = term;
    const isLocal = !namespaces?.length && !namespaceSelector;
    return {
      topologyKey,
      weight,
      matches: matcherWithKeys(labelSelector, metadata?.labels ?? {}, matchLabelKeys, mismatchLabelKeys),
      namespaces: new Set(isLocal ? [metadata?.namespace ?? ''] : namespaces),
      ...(namespaceSelector && { matchesNamespace: labelMatcher(namespaceSelector) }),
      text: JSON.stringify(term),
    };
  };
  return {
    required: (required ?? []).map((term) => read(term, 1)),
    preferred: (preferred ?? []).map(({ weight, podAffinityTerm }) => read(podAffinityTerm, weight)),
  };
}

export const hasTerms = ({ required, preferred }: AffinityTerms): boolean => required.length + preferred.length > 0;
