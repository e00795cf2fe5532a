import { type ContainerStateTerminated, type ContainerStatus, isMirrorPod, isTerminalPhase, type Pod } from '@nodeagent/api';
import type { Invariant } from './snapshot.js';

/**
 * The reason of a terminated pod, and how a container terminated, do not change once they are reported. Exception, as in a kubelet: a pod that
 * exceeds its deadline later.
 */
export const terminalReasons: Invariant = ({ history }) =>
  history.writes.flatMap(({ before, after }) => {
    // A restarted agent has no record of a static pod's termination, and runs it again.
    if (before === undefined || isMirrorPod(after)) return [];
    const [from, to] = [before.status, after.status];
    const exceeds = after.spec?.activeDeadlineSeconds !== undefined && to?.reason === 'DeadlineExceeded';
    const lost = isTerminalPhase(from?.phase) && from?.reason && from.reason !== to?.reason && !exceeds;
    return [
      ...(lost ? [`the reason of ${after.metadata?.name} changed from ${from.reason} to ${to?.reason}`] : []),
      ...changedTerminations(before, after),
    ];
  });

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
function terminations({ status }: Pod): Map<string, { name: string; text: string }> {
  const found = new Map<string, { name: string; text: string }>();
  const add = ({ name }: ContainerStatus, state: ContainerStateTerminated | undefined) => {
    if (state?.containerID) found.set(state.containerID, { name, text: `${state.exitCode} ${state.reason}` });
  };
  for (const each of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
    add(each, each.state?.terminated);
    add(each, each.lastState?.terminated);
  }
  return found;
}
