import { type ContainerStatus, isPodConditionTrue, isSidecar, isTerminalPhase, type Pod, parseTime } from '@nodeagent/api';
import { humanDuration } from './human-duration.js';
import { printer, type TableRowCondition } from './printer.js';
import { since } from './read.js';

/** Restarts, and the time of the last one: the end of the previous instance. */
interface Restarts {
  count: number;
  last?: number;
}

interface Progress {
  /** Text of the STATUS column. */
  reason: string;
  ready: number;
  restarts: Restarts;
}

function addRestarts({ count, last }: Restarts, { restartCount, lastState }: ContainerStatus): Restarts {
  const ended = parseTime(lastState?.terminated?.finishedAt);
  return { count: count + restartCount, last: ended === undefined || (last !== undefined && last > ended) ? last : ended };
}

function exitReason({ exitCode, signal }: { exitCode?: number; signal?: number }): string {
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
}

/** Progress of the init containers; `reason` is undefined when they are done. Sidecars count as containers once they have started. */
function initProgress({ spec, status }: Pod): { reason?: string; ready: number; all: Restarts; sidecars: Restarts } {
  const initContainers = spec?.initContainers ?? [];
  const sidecarNames = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  let [ready, all, sidecars]: [number, Restarts, Restarts] = [0, { count: 0 }, { count: 0 }];
  for (const [index, container] of (status?.initContainerStatuses ?? []).entries()) {
    const { waiting, terminated } = container.state ?? {};
    all = addRestarts(all, container);
    const isSidecarContainer = sidecarNames.has(container.name);
    if (isSidecarContainer) sidecars = addRestarts(sidecars, container);
    if (terminated?.exitCode === 0) continue;
    if (isSidecarContainer && container.started) {
      if (container.ready) ready += 1;
      continue;
    }
    const what = terminated
      ? terminated.reason || exitReason(terminated)
      : waiting?.reason && waiting.reason !== 'PodInitializing'
        ? waiting.reason
        : `${index}/${initContainers.length}`;
    return { reason: `Init:${what}`, ready, all, sidecars };
  }
  return { ready, all, sidecars };
}

function progress(pod: Pod): Progress {
  const { status } = pod;
  const init = initProgress(pod);
  const gated = status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  let reason = init.reason ?? (gated ? 'SchedulingGated' : status?.reason || status?.phase || '');
  let { ready } = init;
  if (init.reason !== undefined && !isPodConditionTrue(status, 'Initialized')) return { reason, ready, restarts: init.all };

  let restarts = init.sidecars;
  let hasRunning = false;
  for (const container of [...(status?.containerStatuses ?? [])].reverse()) {
    const { waiting, terminated, running } = container.state ?? {};
    restarts = addRestarts(restarts, container);
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) reason = terminated.reason || exitReason(terminated);
    else if (container.ready && running) {
      hasRunning = true;
      ready += 1;
    }
  }
  if (reason === 'Completed' && hasRunning) reason = isPodConditionTrue(status, 'Ready') ? 'Running' : 'NotReady';
  return { reason, ready, restarts };
}

/** The text of the STATUS column of `kubectl get pods`. */
function statusText(pod: Pod, reason: string): string {
  if (!pod.metadata?.deletionTimestamp) return reason;
  if (pod.status?.reason === 'NodeLost') return 'Unknown';
  return isTerminalPhase(pod.status?.phase) ? reason : 'Terminating';
}

function restartsText({ count, last }: Restarts, now: number): string {
  return count === 0 || last === undefined ? String(count) : `${count} (${humanDuration(now - last)} ago)`;
}

function readinessGatesText({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  return `${gates.filter(({ conditionType }) => isPodConditionTrue(status, conditionType)).length}/${gates.length}`;
}

function podConditions(pod: Pod): TableRowCondition[] {
  const row = (reason: string, message: string) => [{ type: 'Completed', status: 'True', reason, message }];
  if (pod.status?.phase === 'Succeeded') return row('Succeeded', 'The pod has completed successfully.');
  return pod.status?.phase === 'Failed' ? row('Failed', 'The pod failed.') : [];
}

/** Pods, as `kubectl get pods` shows them. Kubernetes documentation, "Pod Lifecycle", "Debug Init Containers". */
export const podPrinter = printer(
  'Name, Ready, Status, Restarts, Age, IP*, Node*, Nominated Node*, Readiness Gates*',
  (object, now) => {
    const pod = object as Pod;
    const { spec, status } = pod;
    const { reason, ready, restarts } = progress(pod);
    const total = (spec?.containers?.length ?? 0) + (spec?.initContainers ?? []).filter(isSidecar).length;
    return [
      pod.metadata?.name ?? '',
      `${ready}/${total}`,
      statusText(pod, reason),
      restartsText(restarts, now),
      since(pod, 'metadata.creationTimestamp', now),
      status?.podIPs?.[0]?.ip || status?.podIP || '<none>',
      spec?.nodeName || '<none>',
      status?.nominatedNodeName || '<none>',
      readinessGatesText(pod),
    ];
  },
  (object) => podConditions(object as Pod),
);
