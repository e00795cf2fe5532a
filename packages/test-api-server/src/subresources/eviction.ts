import type { Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import {
  budgetPods,
  controllerScales,
  type DisruptionBudget,
  disruptionBudgetStatus,
  withCondition,
} from '@nodeagent/test-controllers/decisions';
import { type ApiContext, timestamp, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import type { ApiObject } from '../objects.js';
import { commitUpdate } from '../operations/commit.js';
import { type DeletionOptions, deleteObject } from '../operations/delete.js';
import { requireObject } from '../operations/update.js';
import type { ServedResource } from '../registry/resource.js';
import { plainInternalError, tooManyRequests } from '../status.js';

/** Evicts a pod, unless a disruption budget forbids it: Kubernetes documentation, "API-initiated Eviction". */
export function evictPod(context: ApiContext, pods: ServedResource, pod: ApiObject, body: ApiObject, options: WriteOptions): void {
  const { phase } = (pod as Pod).status ?? {};
  const exempt = pod.metadata.deletionTimestamp || phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  if (!exempt) useBudget(context, pod, options.dryRun === true);
  const deletion: DeletionOptions = { ...(body.deleteOptions as DeletionOptions | undefined), ...(options.dryRun && { dryRun: true }) };
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
  const marked = copyJson(pod) as ApiObject & Pod;
  marked.status = { ...marked.status, conditions: withCondition(marked.status?.conditions ?? [], condition, timestamp(context)) };
  commitUpdate(context, pods, pod, marked, { ...options, subresource: 'status', internal: true });
  const { namespace = '', name = '' } = pod.metadata;
  deleteObject(context, pods, requireObject(context, pods, { namespace, name }), deletion, options.user.username);
}

const budgetStorage = 'policy/poddisruptionbudgets';
/** The user of the server's client to itself. */
const server = { user: { username: 'system:apiserver' }, fieldManager: 'kube-apiserver' };

/** Notes a disruption in the budget of a healthy pod; throws if it allows none. */
function useBudget(context: ApiContext, pod: ApiObject, isDryRun: boolean): void {
  const { store, clock, registry } = context;
  const { namespace, name = '' } = pod.metadata;
  const budgets = store
    .list(budgetStorage, namespace)
    .filter((each) => budgetPods(each as DisruptionBudget, [pod as Pod]).length > 0) as (ApiObject & DisruptionBudget)[];
  if (budgets.length > 1)
    throw plainInternalError('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
  const [budget] = budgets;
  if (budget === undefined) return;
  const pods = store.list('/pods', namespace) as Pod[];
  const scales = controllerScales((storage, ...place) => store.get(storage, ...place), pods);
  const statusOf = (each: DisruptionBudget) => disruptionBudgetStatus({ budget: each, pods, scales, now: clock.now() }).status;
  const status = statusOf(budget);
  const { currentHealthy, desiredHealthy, disruptionsAllowed } = status;
  const isSpare = currentHealthy >= desiredHealthy && desiredHealthy > 0;
  if (!isPodReady(pod as Pod) && (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || isSpare)) return;
  if (disruptionsAllowed > 0) {
    const definition = registry.storedForm(budgetStorage);
    if (isDryRun || definition === undefined) return;
    const disruptedPods = { ...status.disruptedPods, [name]: timestamp(context) };
    const { conditions } = statusOf({ ...budget, status: { ...status, disruptedPods } });
    const used = { ...status, disruptedPods, disruptionsAllowed: disruptionsAllowed - 1, conditions };
    commitUpdate(context, definition, budget, { ...budget, status: used }, { ...server, subresource: 'status', internal: true });
    return;
  }
  const why = `The disruption budget ${budget.metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", [
    { reason: 'DisruptionBudget', message: why },
  ]);
}
