import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from '@nodeagent/api';
import { isSidecar, isStaticPod, shouldRestartOnExit } from '@nodeagent/api/helpers';
import { restartingAllContainers } from './convert-container.js';

/** Inputs of {@link getPhase}. */
export interface PhaseInput {
  pod: Pod;
  /** Init and regular containers together. */
  containerStatuses: readonly ContainerStatus[];
  /** Whether the pod's worker has terminated it, so that no container will start. */
  podIsTerminal: boolean;
  /** Whether a regular container has been started in the current sandbox. */
  podHasInitialized: boolean;
}

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/**
 * The pod's phase by its containers: Kubernetes documentation, "Pod Lifecycle: Pod phase". A container that waits for its next start
 * after a crash counts as stopped, so its pod stays `Running`.
 */
export function getPhase(input: PhaseInput): Phase {
  const { pod, podIsTerminal, podHasInitialized } = input;
  const init = countInitContainers(input);
  const { pendingSidecars, running, waiting, unknown, stopped, stoppedForGood, succeeded } = countContainers(input);

  if (init.failedForGood > 0) return 'Failed';
  if (init.pending > 0 || (pendingSidecars > 0 && !podHasInitialized)) return 'Pending';
  if (waiting > 0) return 'Pending';
  if (unknown > 0) return 'Pending';
  if (running > 0) return 'Running';
  if (stopped === 0) return 'Pending';
  if (podIsTerminal && !isStaticPod(pod)) return stopped === succeeded ? 'Succeeded' : 'Failed';
  if (stopped !== stoppedForGood) return 'Running';
  return stopped === succeeded ? 'Succeeded' : 'Failed';
}

function countInitContainers({ pod, containerStatuses }: PhaseInput): { pending: number; failedForGood: number } {
  const count = { pending: 0, failedForGood: 0 };
  for (const container of pod.spec?.initContainers ?? []) {
    if (isSidecar(container)) continue;
    const status = containerStatuses.find(({ name }) => name === container.name);
    const ended = status?.state?.terminated ?? (status?.state?.waiting && !status.state.running && status.lastState?.terminated);
    if (!ended) count.pending++;
    else if (ended.exitCode !== 0 && !restartable(pod, container, ended)) count.failedForGood++;
  }
  return count;
}

function countContainers({ pod, containerStatuses }: PhaseInput) {
  const count = { pendingSidecars: 0, running: 0, waiting: 0, unknown: 0, stopped: 0, stoppedForGood: 0, succeeded: 0 };
  const statusOf = (container: { name: string }) => containerStatuses.find(({ name }) => name === container.name);

  for (const container of pod.spec?.initContainers ?? []) {
    if (!isSidecar(container)) continue;
    const status = statusOf(container);
    if (status === undefined) count.unknown++;
    else if (status.state?.running) {
      count.running++;
      if (status.started !== true) count.pendingSidecars++;
    } else if (status.state?.waiting && !status.lastState?.terminated) {
      count.pendingSidecars++;
      count.waiting++;
    } else if (!status.state?.waiting && !status.state?.terminated) {
      count.pendingSidecars++;
      count.unknown++;
    }
  }

  for (const container of pod.spec?.containers ?? []) {
    const status = statusOf(container);
    const { running, terminated, waiting } = status?.state ?? {};
    const last = status?.lastState?.terminated;
    if (running) count.running++;
    else if (terminated) {
      count.stopped++;
      if (!restartable(pod, container, terminated)) count.stoppedForGood++;
      if (terminated.exitCode === 0) count.succeeded++;
    } else if (waiting && last) {
      count.stopped++;
      if (!restartable(pod, container, last)) count.stoppedForGood++;
    } else if (waiting) count.waiting++;
    else count.unknown++;
  }
  return count;
}

function restartable(pod: Pod, container: Container, ended: ContainerStateTerminated): boolean {
  return ended.reason === restartingAllContainers || shouldRestartOnExit(pod, container, ended.exitCode);
}
