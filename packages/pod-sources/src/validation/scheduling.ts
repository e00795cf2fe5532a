import type { Affinity, NodeSelectorTerm, PodAffinity, PodSpec, Toleration } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkLabels, checkQualifiedName, checkSubdomain } from './names.js';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The scheduling constraints of a pod. Source: Kubernetes documentation, "Assigning Pods to Nodes", "Taints and Tolerations". */
export function checkScheduling(spec: PodSpec, problems: FieldProblems): void {
  if (spec.nodeName) checkSubdomain('spec.nodeName', spec.nodeName, problems);
  checkLabels('spec.nodeSelector', spec.nodeSelector, problems);
  for (const [index, toleration] of (spec.tolerations ?? []).entries()) checkToleration(`spec.tolerations[${index}]`, toleration, problems);
  if (spec.affinity) checkAffinity(spec.affinity, problems);
  for (const [index, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const field = `spec.topologySpreadConstraints[${index}]`;
    if (!(constraint.maxSkew > 0)) problems.invalid(`${field}.maxSkew`, constraint.maxSkew ?? 0, 'must be greater than zero');
    if (!constraint.topologyKey) problems.required(`${field}.topologyKey`, 'can not be empty');
    problems.oneOf(`${field}.whenUnsatisfiable`, constraint.whenUnsatisfiable ?? '', ['DoNotSchedule', 'ScheduleAnyway']);
  }
  for (const [index, { name }] of (spec.schedulingGates ?? []).entries())
    checkQualifiedName(`spec.schedulingGates[${index}].name`, name, problems);
  if (spec.nodeName && spec.schedulingGates?.length)
    problems.forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared');
  problems.oneOf('spec.preemptionPolicy', spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
  for (const name of ['priorityClassName', 'runtimeClassName', 'schedulerName'] as const) {
    const value = spec[name];
    if (value) checkSubdomain(`spec.${name}`, value, problems);
  }
}

function checkToleration(field: string, { key, operator, value, effect, tolerationSeconds }: Toleration, problems: FieldProblems): void {
  if (key) checkQualifiedName(`${field}.key`, key, problems);
  else if (operator !== 'Exists')
    problems.invalid(
      `${field}.operator`,
      operator ?? '',
      "operator must be Exists when `key` is empty, which means 'match all values and all keys'",
    );
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    problems.invalid(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (operator) problems.oneOf(`${field}.operator`, operator, ['Equal', 'Exists']);
  if (operator === 'Exists' && value) problems.invalid(`${field}.operator`, value, 'value must be empty when `operator` is Exists');
  if (effect) problems.oneOf(`${field}.effect`, effect, effects);
}

function checkAffinity({ nodeAffinity, podAffinity, podAntiAffinity }: Affinity, problems: FieldProblems): void {
  const node = 'spec.affinity.nodeAffinity';
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required) {
    const field = `${node}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
    if (!required.nodeSelectorTerms?.length) problems.required(field, 'must have at least one node selector term');
    for (const [index, term] of (required.nodeSelectorTerms ?? []).entries()) checkTerm(`${field}[${index}]`, term, problems);
  }
  for (const [index, { weight, preference }] of (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const field = `${node}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    checkWeight(`${field}.weight`, weight, problems);
    checkTerm(`${field}.preference`, preference ?? {}, problems);
  }
  checkPodAffinity('spec.affinity.podAffinity', podAffinity, problems);
  checkPodAffinity('spec.affinity.podAntiAffinity', podAntiAffinity, problems);
}

function checkTerm(field: string, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm, problems: FieldProblems): void {
  for (const [index, { key, operator, values }] of matchExpressions.entries()) {
    const place = `${field}.matchExpressions[${index}]`;
    const count = values?.length ?? 0;
    checkQualifiedName(`${place}.key`, key ?? '', problems);
    problems.oneOf(`${place}.operator`, operator ?? '', ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
    if ((operator === 'In' || operator === 'NotIn') && count === 0) {
      problems.required(`${place}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
      problems.forbidden(`${place}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if ((operator === 'Gt' || operator === 'Lt') && count !== 1) {
      problems.required(`${place}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  }
  for (const [index, { key, operator, values }] of matchFields.entries()) {
    const place = `${field}.matchFields[${index}]`;
    problems.oneOf(`${place}.key`, key ?? '', ['metadata.name']);
    problems.oneOf(`${place}.operator`, operator ?? '', ['In', 'NotIn']);
    if (values?.length !== 1) problems.required(`${place}.values`, 'must be only one value for node field selector operators');
  }
}

function checkPodAffinity(field: string, affinity: PodAffinity | undefined, problems: FieldProblems): void {
  for (const [index, term] of (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const place = `${field}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`;
    if (!term.topologyKey) problems.required(`${place}.topologyKey`, 'can not be empty');
  }
  for (const [index, { weight, podAffinityTerm }] of (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const place = `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    checkWeight(`${place}.weight`, weight, problems);
    if (!podAffinityTerm?.topologyKey) problems.required(`${place}.podAffinityTerm.topologyKey`, 'can not be empty');
  }
}

function checkWeight(field: string, weight: number | undefined, problems: FieldProblems): void {
  if (weight === undefined || weight < 1 || weight > 100) problems.invalid(field, weight ?? 0, 'must be in the range 1-100');
}
