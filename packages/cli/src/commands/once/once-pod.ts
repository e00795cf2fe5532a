import type { Pod } from '@nodeagent/api';
import { allContainerStatuses, isSidecar, isTerminalPhase } from '@nodeagent/api/helpers';
import type { PodView } from '@nodeagent/core/node';
import { terminationText } from '@nodeagent/pod-view';

/** How the one pod of `nodeagent run --once` ended. */
export interface OnceOutcome {
  exitCode: number;
  /** Why the pod failed; absent if a container's exit code explains it, or the pod succeeded. */
  reason?: string;
}

/** The exit code for a pod that did not run: as `docker run` and `podman run`, which containers seldom use. */
export const notRunCode = 125;

/** The reasons in a container's status for which it waits although no other pod and no time would change it. */
const cannotStart =
  /^(ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|ImageInspectError|RegistryUnavailable|SignatureValidationFailed|CreateContainerConfigError|CreateContainerError|RunContainerError)$/;

/** The pod as it runs once: containers that would always restart do not. `OnFailure` remains, and so do sidecars. */
export function oncePod(pod: Pod): Pod {
  const { restartPolicy = 'Always' } = pod.spec ?? {};
  return restartPolicy === 'Always' && pod.spec !== undefined ? { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } } : pod;
}

/**
 * The outcome of the pod, undefined while it runs: the first exit code but 0 of its init containers and containers, in the order of the manifest. The
 * exit codes of sidecars do not count, because the agent stops them.
 */
export function onceOutcome({ pod, status }: Pick<PodView, 'pod' | 'status'>): OnceOutcome | undefined {
  const containers = allContainerStatuses(status);
  const stuck = containers.find(({ state }) => cannotStart.test(state?.waiting?.reason ?? ''));
  if (stuck !== undefined) {
    const { reason = '', message = '' } = stuck.state?.waiting ?? {};
    return { exitCode: notRunCode, reason: `container ${stuck.name}: ${reason}${message && `: ${message}`}` };
  }
  if (!isTerminalPhase(status.phase) || containers.some(({ state }) => state?.running)) return undefined;
  const names = [...(pod.spec?.initContainers ?? []).filter((each) => !isSidecar(each)), ...(pod.spec?.containers ?? [])].map(
    ({ name }) => name,
  );
  for (const name of names) {
    const { exitCode = 0, signal = 0 } = containers.find((each) => each.name === name)?.state?.terminated ?? {};
    if (exitCode !== 0 || signal !== 0) return { exitCode: exitCode || 128 + signal, ...reasonOf(status) };
  }
  return status.phase === 'Failed' ? { exitCode: notRunCode, reason: 'the pod failed', ...reasonOf(status) } : { exitCode: 0 };
}

const reasonOf = ({ reason = '', message = '' }: PodView['status']) =>
  reason === '' ? {} : { reason: `${reason}${message && `: ${message}`}` };

/** What a log line of a container that ended with an error adds on stderr: `main exited with 137 (OOMKilled)`. */
export function failureTexts({ status }: Pick<PodView, 'status'>): string[] {
  return allContainerStatuses(status).flatMap(({ name, state }) =>
    state?.terminated?.reason === 'OOMKilled' ? [`${name} ${terminationText(state.terminated)}`] : [],
  );
}
