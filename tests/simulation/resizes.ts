import type { Pod, PodStatus, ResourceList } from '@nodeagent/api';
import { isMirrorPod, isTerminalPhase, podUid, Quantity } from '@nodeagent/api/helpers';
import type { Invariant } from './snapshot.js';

/**
 * A status that has the newest generation and no condition of a resize reports the resources of the spec: clients treat the resize as complete.
 * Static pods and terminating pods are not resized.
 */
export const resizes: Invariant = ({ history }, { claimedByRejection }) =>
  history.writes.flatMap(({ before, after }) => {
    if (isMirrorPod(after) || mayBeTerminating(after) || history.evicted.has(podUid(after))) return [];
    const key = `${podUid(after)}/${after.metadata?.generation}`;
    const outdated = claimsResizeIsDone(after) ? outdatedContainers(after) : [];
    if (outdated.length === 0) claimedByRejection.delete(key);
    else if (before && hasUnreportedPhase(before.status) && claimsResizeIsDone(before)) claimedByRejection.add(key);
    return claimedByRejection.has(key) ? [] : outdated.map((name) => `${after.metadata?.name}/${name} is reported as resized and is not`);
  });

/** A pod that exceeds its deadline is terminated before its phase changes. */
const mayBeTerminating = ({ metadata, spec, status }: Pod) =>
  metadata?.deletionTimestamp !== undefined ||
  spec?.activeDeadlineSeconds !== undefined ||
  isTerminalPhase(status?.phase) ||
  hasUnreportedPhase(status);

/**
 * The pod has failed or succeeded, which is reported once its containers have terminated: a new agent rejects a pod that does not fit any more,
 * observes its newest generation, and then stops it with the resources that it has. If it stops before that and the next agent admits the pod,
 * the observed generation stays until the pod is resized. A kubelet does the same.
 */
const hasUnreportedPhase = (status: PodStatus | undefined) =>
  status?.conditions?.some(({ type, reason }) => type === 'Ready' && (reason === 'PodFailed' || reason === 'PodCompleted')) ?? false;

const claimsResizeIsDone = ({ metadata, status }: Pod) =>
  (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0) &&
  !status?.conditions?.some(({ type }) => type === 'PodResizePending' || type === 'PodResizeInProgress');

/** Names of containers that run with other requests or limits than those of the spec. */
function outdatedContainers({ spec, status }: Pod): string[] {
  const wanted = new Map(spec?.containers.map(({ name, resources }) => [name, resources]));
  return (status?.containerStatuses ?? [])
    .filter(({ name, state, resources }) => {
      if (state?.running === undefined) return false;
      const { requests, limits } = wanted.get(name) ?? {};
      return !sameAmounts(requests, resources?.requests) || !sameAmounts(limits, resources?.limits);
    })
    .map(({ name }) => name);
}

const sameAmounts = (wanted: ResourceList = {}, reported: ResourceList = {}) =>
  Object.entries(wanted).every(([name, amount]) => Quantity.parse(amount).equals(Quantity.parse(reported[name] ?? '0')));
