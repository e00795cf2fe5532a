import type { LabelSelector, Pod } from '@nodeagent/api';
import { isPodReady, matchesLabelSelector } from '@nodeagent/api/helpers';
import { withCondition } from '@nodeagent/test-controllers/decisions';
import { type ApiContext, timestamp, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { type DeletionOptions, deleteObject } from '../operations/delete.js';
import { requireObject } from '../operations/update.js';
import type { ServedResource } from '../registry/resource.js';
import { internalError, tooManyRequests } from '../status.js';

interface BudgetSpec {
  selector?: LabelSelector;
  minAvailable?: number | string;
  maxUnavailable?: number | string;
  unhealthyPodEvictionPolicy?: string;
}

/** Desired and current number of healthy pods of a budget. */
interface BudgetState {
  expected: number;
  desiredHealthy: number;
  currentHealthy: number;
  disruptionsAllowed: number;
}

/** The allowed disruptions of a PodDisruptionBudget: Kubernetes documentation, "Specifying a Disruption Budget for your Application". */
function budgetState({ minAvailable, maxUnavailable = 1 }: BudgetSpec, pods: readonly Pod[], expected = pods.length): BudgetState {
  const share = (amount: number | string) =>
    typeof amount === 'number' ? amount : Math.ceil((expected * Number.parseInt(amount, 10)) / 100);
  const desiredHealthy = Math.max(0, minAvailable === undefined ? expected - share(maxUnavailable) : share(minAvailable));
  const currentHealthy = pods.filter((pod) => isHealthy(pod)).length;
  return { expected, desiredHealthy, currentHealthy, disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy) };
}

const isHealthy = (pod: Pod) => !pod.metadata?.deletionTimestamp && isPodReady(pod);

/** Evicts a pod, unless a disruption budget forbids it: Kubernetes documentation, "API-initiated Eviction". */
export function evictPod(context: ApiContext, pods: ServedResource, pod: ApiObject, body: ApiObject, options: WriteOptions): void {
  const { phase } = (pod as Pod).status ?? {};
  const exempt = pod.metadata.deletionTimestamp || phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  if (!exempt) checkBudgets(context, pod);
  const deletion: DeletionOptions = { ...(body.deleteOptions as DeletionOptions | undefined), ...(options.dryRun && { dryRun: true }) };
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
  const marked = copyJson(pod) as ApiObject & Pod;
  marked.status = { ...marked.status, conditions: withCondition(marked.status?.conditions ?? [], condition, timestamp(context)) };
  commitUpdate(context, pods, pod, marked, { ...options, subresource: 'status', internal: true });
  const { namespace = '', name = '' } = pod.metadata;
  deleteObject(context, pods, requireObject(context, pods, { namespace, name }), deletion);
}

function checkBudgets({ store }: ApiContext, pod: ApiObject): void {
  const { namespace, labels } = pod.metadata;
  const budgets = store
    .list('policy/poddisruptionbudgets', namespace)
    .filter(({ spec }) => matchesLabelSelector((spec as BudgetSpec).selector, labels));
  if (budgets.length > 1)
    throw internalError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
  const [budget] = budgets;
  if (budget === undefined) return;
  const spec = budget.spec as BudgetSpec;
  const covered = store.list('/pods', namespace).filter(({ metadata }) => matchesLabelSelector(spec.selector, metadata.labels)) as Pod[];
  const state = budgetState(spec, covered, expectedPods(store, covered));
  const unhealthy = !isPodReady(pod as Pod);
  if (unhealthy && (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' || state.currentHealthy >= state.desiredHealthy)) return;
  if (state.disruptionsAllowed > 0) return;
  const { name } = budget.metadata;
  const why = `The disruption budget ${name} needs ${state.desiredHealthy} healthy pods and has ${state.currentHealthy} currently`;
  throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 10_000, [
    { reason: 'DisruptionBudget', message: why },
  ]);
}

/** Expected number of pods: the replicas of each controller, and the pods without one. */
function expectedPods(store: ApiContext['store'], pods: readonly Pod[]): number {
  const owners = new Map<string, number>();
  for (const { metadata } of pods) {
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
    const storage = owner && { ReplicaSet: 'apps/replicasets', StatefulSet: 'apps/statefulsets' }[owner.kind];
    const found = storage && store.get(storage, metadata?.namespace, owner.name);
    const replicas = found ? (found.spec as { replicas?: number }).replicas : undefined;
    const key = owner?.uid ?? metadata?.uid ?? '';
    owners.set(key, replicas ?? (owner ? (owners.get(key) ?? 0) + 1 : 1));
  }
  return [...owners.values()].reduce((sum, count) => sum + count, 0);
}
