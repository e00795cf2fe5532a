import type { ContainerStateTerminated, ContainerStatus, Pod } from '@nodeagent/api';
import { isMirrorPod, isTerminalPhase, podUid } from '@nodeagent/api/helpers';
import { type History, hadNoContainer } from './history.js';
import { isRejected } from './rejected.js';
import type { Invariant } from './snapshot.js';

/**
 * The reason of a terminated pod, and how a container terminated, do not change once they are reported. Exceptions, as in a kubelet: a pod that
 * exceeds its deadline later; a rejected pod that is evicted or preempted while the agent terminates it after its deletion; a pod that is
 * evicted while its admission waits for a device, and rejected then; and a pod whose containers all exited with 0, for which the agent generates
 * Succeeded and drops the reason of Failed.
 */
export const terminalReasons: Invariant = ({ history }) =>
  history.writes.flatMap(({ before, after }) => {
    // A restarted agent has no record of a static pod's termination, and runs it again.
    if (before === undefined || isMirrorPod(after)) return [];
    const [from, to] = [before.status, after.status];
    const lost = isTerminalPhase(from?.phase) && from?.reason && from.reason !== to?.reason && !mayReplaceReason(before, after, history);
    return [
      ...(lost ? [`the reason of ${after.metadata?.name} changed from ${from.reason} to ${to?.reason}`] : []),
      ...changedTerminations(before, after),
    ];
  });

function mayReplaceReason(before: Pod, after: Pod, history: History): boolean {
  const uid = podUid(after);
  const { metadata, spec, status } = after;
  const [from, to] = [before.status?.reason, status?.reason];
  if (to === 'DeadlineExceeded') return spec?.activeDeadlineSeconds !== undefined;
  if (to === undefined) return before.status?.phase === 'Failed' && status?.phase === 'Failed' && haveSucceeded(after);
  if (!history.evicted.has(uid)) return false;
  if (to === 'Evicted' || to === 'Preempting') return isRejected(before.status) && metadata?.deletionTimestamp !== undefined;
  return from === 'Evicted' && isRejected(status) && hadNoContainer(history, uid);
}

const statusesOf = ({ status }: Pod): ContainerStatus[] => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];

/** Whether all containers have exited with 0. */
function haveSucceeded(pod: Pod): boolean {
  const all = statusesOf(pod);
  return all.length > 0 && all.every(({ state }) => state?.terminated?.exitCode === 0);
}

function changedTerminations(before: Pod, after: Pod): string[] {
  const now = terminations(after);
  return [...terminations(before)].flatMap(([id, { name, text }]) => {
    const changed = now.get(id)?.text;
    return changed === undefined || changed === text
      ? []
      : [`${after.metadata?.name}/${name} terminated with ${text}, then with ${changed}`];
  });
}

/** How each container of the status terminated, by id. */
function terminations(pod: Pod): Map<string, { name: string; text: string }> {
  const found = new Map<string, { name: string; text: string }>();
  const add = ({ name }: ContainerStatus, state: ContainerStateTerminated | undefined) => {
    if (state?.containerID) found.set(state.containerID, { name, text: `${state.exitCode} ${state.reason}` });
  };
  for (const each of statusesOf(pod)) {
    add(each, each.state?.terminated);
    add(each, each.lastState?.terminated);
  }
  return found;
}
