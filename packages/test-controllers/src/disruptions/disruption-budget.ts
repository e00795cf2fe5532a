import type { LabelSelector, ObjectMeta, Pod } from '@nodeagent/api';
import { equalJson, formatTime, isPodReady, matchesLabelSelector, parseTime } from '@nodeagent/api/helpers';
import type { EventText } from '../workloads/objects.js';
import { controllerOf, scaledValue } from '../workloads/ownership.js';

/** `policy/v1`, `PodDisruptionBudget`: the fields that its controller reads and writes. */
export interface DisruptionBudget {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec?: {
    selector?: LabelSelector;
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    /** `IfHealthyBudget` or `AlwaysAllow`. */
    unhealthyPodEvictionPolicy?: string;
  };
  status?: DisruptionBudgetStatus;
}

export interface DisruptionBudgetStatus {
  observedGeneration?: number;
  /** Pods whose eviction was granted and that are not being deleted yet, with the time of it. */
  disruptedPods?: Record<string, string>;
  disruptionsAllowed: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  conditions?: BudgetCondition[];
}

interface BudgetCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
  observedGeneration?: number;
  lastTransitionTime: string;
}

/** The object whose replicas a pod belongs to: a Deployment for the pods of its ReplicaSets. */
export interface ControllerScale {
  uid: string;
  replicas: number;
}

export interface DisruptionBudgetInput {
  budget: DisruptionBudget;
  /** Pods of the namespace. */
  pods: readonly Pod[];
  /** By the UID of a pod's controller. */
  scales: ReadonlyMap<string, ControllerScale>;
  /** Milliseconds since 1970. */
  now: number;
}

/** The new status of a PodDisruptionBudget. */
export interface DisruptionBudgetPlan {
  status: DisruptionBudgetStatus;
  /** When it changes without a change of pods, in milliseconds since 1970. */
  againAt?: number;
  /** Events about the budget, or about a pod. */
  events: BudgetEvent[];
}

export type BudgetEvent = EventText & { pod?: Pod };

/** How long a pod counts as disrupted before its deletion starts. */
const disruptedMs = 120_000;

/** The pods that the budget selects: without a selector none, with an empty one all of the namespace. */
export function budgetPods({ spec }: Pick<DisruptionBudget, 'spec'>, pods: readonly Pod[]): Pod[] {
  return spec?.selector ? pods.filter(({ metadata }) => matchesLabelSelector(spec.selector, metadata?.labels)) : [];
}

/**
 * The status of a PodDisruptionBudget, and when it changes without a change of pods. While the scale of a pod's controller is unknown, no
 * disruption is allowed. Pods without a controller count only with a number in `minAvailable`. Kubernetes documentation, "Specifying a
 * Disruption Budget for your Application".
 */
export function disruptionBudgetStatus(input: DisruptionBudgetInput): DisruptionBudgetPlan {
  const { budget, scales, now } = input;
  const { status: before, metadata } = budget;
  const pods = budgetPods(budget, input.pods);
  const { observedGeneration } = before ?? {};
  const unknown = typeof budget.spec?.minAvailable !== 'number' && pods.find((pod) => isUnknown(pod, scales));
  const events = eventsAbout(budget, pods);
  if (unknown) {
    const message = `found no controllers for pod "${unknown.metadata?.name}"`;
    const failed = { status: 'False', reason: 'SyncFailed', message };
    const text = `Failed to calculate the number of expected pods: ${message}`;
    const counts = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...before, disruptionsAllowed: 0 };
    return {
      status: { ...counts, conditions: withDisruptionAllowed(before, failed, observedGeneration, now) },
      events: [{ type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message: text }],
    };
  }
  const { disruptedPods, againAt, overdue } = stillDisrupted(before, pods, now);
  const late = `Pod was expected by PDB ${metadata.namespace}/${metadata.namespace} to be deleted but it wasn't`;
  const healthy = pods.filter(
    (pod) => !pod.metadata?.deletionTimestamp && isPodReady(pod) && disruptedPods[pod.metadata?.name ?? ''] === undefined,
  );
  const { expectedPods, desiredHealthy } = expectation(budget, pods, scales);
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, healthy.length - desiredHealthy) : 0;
  const allowed = disruptionsAllowed > 0 ? { status: 'True', reason: 'SufficientPods' } : { status: 'False', reason: 'InsufficientPods' };
  const generation = metadata.generation;
  const status = {
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    disruptionsAllowed,
    currentHealthy: healthy.length,
    desiredHealthy,
    expectedPods,
    conditions: withDisruptionAllowed(before, { message: '', ...allowed }, generation, now),
  };
  return {
    status,
    ...(againAt !== undefined && { againAt }),
    events: [...events, ...overdue.map((pod): BudgetEvent => ({ type: 'Warning', reason: 'NotDeleted', message: late, pod }))],
  };
}

function eventsAbout({ spec }: DisruptionBudget, pods: readonly Pod[]): BudgetEvent[] {
  if (pods.length === 0) return [{ type: 'Normal', reason: 'NoPods', message: 'No matching pods found' }];
  if (typeof spec?.minAvailable === 'number' || pods.every(controllerOf)) return [];
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${selectorText(spec?.selector)}) were found to be unmanaged. As a result, the status of the ` +
    'PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field ' +
    'of the PDB to an integer value.';
  return [{ type: 'Warning', reason: 'UnmanagedPods', message }];
}

/** The selector as the controller manager writes it. */
function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels)
    .sort()
    .map(([key, value]) => `${key}: ${value},`);
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}

function isUnknown(pod: Pod, scales: ReadonlyMap<string, ControllerScale>): boolean {
  const owner = controllerOf(pod);
  return owner !== undefined && !scales.has(owner.uid);
}

/** Number of pods that there should be, and that should be healthy. */
function expectation({ spec = {} }: DisruptionBudget, pods: readonly Pod[], scales: ReadonlyMap<string, ControllerScale>) {
  const { minAvailable, maxUnavailable } = spec;
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  const replicas = new Map(
    pods.flatMap((pod) => {
      const scale = scales.get(controllerOf(pod)?.uid ?? '');
      return scale ? [[scale.uid, scale.replicas] as const] : [];
    }),
  );
  const expectedPods = [...replicas.values()].reduce((sum, count) => sum + count, 0);
  const desiredHealthy =
    maxUnavailable !== undefined
      ? Math.max(0, expectedPods - scaledValue(maxUnavailable, expectedPods, Math.ceil))
      : scaledValue(minAvailable, expectedPods, Math.ceil);
  return { expectedPods, desiredHealthy };
}

function stillDisrupted(status: DisruptionBudgetStatus | undefined, pods: readonly Pod[], now: number) {
  const disruptedPods: Record<string, string> = {};
  const ends: number[] = [];
  const overdue: Pod[] = [];
  for (const pod of pods) {
    const { metadata } = pod;
    const time = metadata?.deletionTimestamp ? undefined : status?.disruptedPods?.[metadata?.name ?? ''];
    const end = (parseTime(time) ?? Number.NaN) + disruptedMs;
    if (time !== undefined && !(end >= now)) overdue.push(pod);
    if (time === undefined || !(end >= now)) continue;
    disruptedPods[metadata?.name ?? ''] = time;
    ends.push(end + 1);
  }
  return { disruptedPods, againAt: ends.length > 0 ? Math.min(...ends) : undefined, overdue };
}

function withDisruptionAllowed(
  before: DisruptionBudgetStatus | undefined,
  value: Pick<BudgetCondition, 'status' | 'reason' | 'message'>,
  observedGeneration: number | undefined,
  now: number,
): BudgetCondition[] {
  const conditions = before?.conditions ?? [];
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition: BudgetCondition = {
    type: 'DisruptionAllowed',
    ...value,
    ...(observedGeneration !== undefined && { observedGeneration }),
    lastTransitionTime: old?.status === value.status ? old.lastTransitionTime : formatTime(now),
  };
  if (old && equalJson(old, condition)) return conditions;
  return [...conditions.filter(({ type }) => type !== condition.type), condition];
}
