import type { LabelSelector, NodeSelectorTerm, Pod, PodSpec } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';

/** Sets what the server sets for the scheduler in a new pod: the condition of a gated pod, and label keys as parts of selectors. */
export function setSchedulingFields(pod: Pod, now: string): void {
  const { affinity, topologySpreadConstraints = [], schedulingGates = [] } = pod.spec ?? {};
  const labels = pod.metadata?.labels ?? {};
  for (const rules of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    const preferred = rules?.preferredDuringSchedulingIgnoredDuringExecution?.map(({ podAffinityTerm }) => podAffinityTerm) ?? [];
    for (const term of [...preferred, ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? [])]) {
      addKeys(term.labelSelector, 'In', term.matchLabelKeys, labels);
      addKeys(term.labelSelector, 'NotIn', term.mismatchLabelKeys, labels);
    }
  }
  for (const { labelSelector, matchLabelKeys } of topologySpreadConstraints) addKeys(labelSelector, 'In', matchLabelKeys, labels);
  if (schedulingGates.length === 0) return;
  const message = 'Scheduling is blocked due to non-empty scheduling gates';
  const gated = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message, lastTransitionTime: now };
  pod.status = { ...pod.status, conditions: [gated] };
}

function addKeys(
  selector: LabelSelector | undefined,
  operator: string,
  keys: readonly string[] = [],
  labels: Readonly<Record<string, string>>,
) {
  if (!selector) return;
  const added = keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]));
  if (added.length > 0) selector.matchExpressions = [...(selector.matchExpressions ?? []), ...added];
}

/** The spec without the directives that a gated pod may narrow: its node selector and node affinity. */
export function withoutNarrowed(spec: PodSpec, was: PodSpec): PodSpec {
  if (!was.schedulingGates?.length || !isNarrower(spec, was)) return spec;
  const { nodeSelector: _selector, affinity: { nodeAffinity: _affinity, ...affinity } = {}, ...rest } = spec;
  return { ...rest, ...(Object.keys(affinity).length > 0 && { affinity }) };
}

function isNarrower(spec: PodSpec, was: PodSpec): boolean {
  const selects = Object.entries(was.nodeSelector ?? {}).every(([key, value]) => spec.nodeSelector?.[key] === value);
  const [terms, before] = [spec, was].map(
    ({ affinity }) => affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
  );
  if (!before) return selects;
  return selects && terms?.length === before.length && before.every((term, index) => hasAll(terms[index] as NodeSelectorTerm, term));
}

const hasAll = (term: NodeSelectorTerm, before: NodeSelectorTerm): boolean =>
  (['matchExpressions', 'matchFields'] as const).every((field) =>
    (before[field] ?? []).every((old) => term[field]?.some((requirement) => equalJson(requirement, old))),
  );
