import type { ContainerStateTerminated, ContainerStatus, Pod } from '@nodeagent/api';
import { isPodConditionTrue, isSidecar, parseTime } from '@nodeagent/api/helpers';
import { zeroTime } from './format-age.js';

/** Restarts, and the time of the last one: the end of the previous instance, in milliseconds since 1970. `zeroTime` if unknown. */
export interface Restarts {
  count: number;
  last: number;
}

/** What follows from the container statuses of the pod. */
export interface PodProgress {
  /** `Init:0/2`, `Running`, or the reason of the container that counts. */
  reason: string;
  /** Number of ready containers and sidecars. */
  ready: number;
  restarts: Restarts;
}

const noRestarts: Restarts = { count: 0, last: zeroTime };

function addRestarts({ count, last }: Restarts, { restartCount, lastState }: ContainerStatus): Restarts {
  const ended = parseTime(lastState?.terminated?.finishedAt) ?? zeroTime;
  return { count: count + (restartCount ?? 0), last: Math.max(last, ended) };
}

function terminationReason({ reason, signal, exitCode }: ContainerStateTerminated): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

interface InitProgress {
  /** Absent once the init containers are done. */
  reason?: string;
  /** Number of ready sidecars. */
  ready: number;
  /** Restarts of all init containers up to the one that initializes. */
  all: Restarts;
  sidecars: Restarts;
}

/** Progress of the init containers. A sidecar counts as a container once it has started. */
function initProgress({ spec, status }: Pod): InitProgress {
  const initContainers = spec?.initContainers ?? [];
  const sidecarNames = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  let [ready, all, sidecars]: [number, Restarts, Restarts] = [0, noRestarts, noRestarts];
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    const { waiting, terminated } = container.state ?? {};
    all = addRestarts(all, container);
    const isSidecarContainer = sidecarNames.has(container.name);
    if (isSidecarContainer) sidecars = addRestarts(sidecars, container);
    if (terminated && !terminated.exitCode) continue;
    if (isSidecarContainer && container.started) {
      if (container.ready) ready += 1;
      continue;
    }
    const isWaiting = waiting?.reason && waiting.reason !== 'PodInitializing';
    const what = terminated ? terminationReason(terminated) : isWaiting ? waiting.reason : `${index}/${initContainers.length}`;
    return { reason: `Init:${what}`, ready, all, sidecars };
  }
  return { ready, all, sidecars };
}

interface ContainerProgress {
  /** Reason of the first container that waits or has terminated; absent if none does. */
  reason?: string;
  /** Reason of the first container that has failed. */
  failure?: string;
  ready: number;
  restarts: Restarts;
}

function containerProgress(statuses: readonly ContainerStatus[], sidecarRestarts: Restarts): ContainerProgress {
  const progress: ContainerProgress = { ready: 0, restarts: sidecarRestarts };
  for (const container of [...statuses].reverse()) {
    const { waiting, terminated, running } = container.state ?? {};
    progress.restarts = addRestarts(progress.restarts, container);
    if (waiting?.reason) progress.reason = waiting.reason;
    else if (terminated) {
      progress.reason = terminationReason(terminated);
      if (terminated.exitCode) progress.failure = progress.reason;
    } else if (container.ready && running) progress.ready += 1;
  }
  return progress;
}

/** A container that has completed does not decide: the others do. */
function reasonBesideCompleted({ failure, ready }: ContainerProgress, isReady: boolean): string {
  if (ready > 0 && isReady) return 'Running';
  return failure ?? (ready > 0 ? 'NotReady' : 'Completed');
}

/** Progress of the pod. Kubernetes documentation, "Debug Init Containers: Understanding Pod status". */
export function podProgress(pod: Pod): PodProgress {
  const { status } = pod;
  const init = initProgress(pod);
  if (init.reason !== undefined && !isPodConditionTrue(status, 'Initialized')) {
    return { reason: init.reason, ready: init.ready, restarts: init.all };
  }
  const isGated = status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  const containers = containerProgress(status?.containerStatuses ?? [], init.sidecars);
  const reason = containers.reason ?? init.reason ?? (isGated ? 'SchedulingGated' : status?.reason || status?.phase || '');
  return {
    reason: reason === 'Completed' ? reasonBesideCompleted(containers, isPodConditionTrue(status, 'Ready')) : reason,
    ready: init.ready + containers.ready,
    restarts: containers.restarts,
  };
}
