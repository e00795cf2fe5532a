import type { Pod, PodStatus } from '@nodeagent/api';
import { isPodConditionTrue, isSidecar, isTerminalPhase } from '@nodeagent/api/helpers';
import { ageOf, formatAge, zeroTime } from './format-age.js';
import { podProgress, type Restarts } from './pod-progress.js';

/** The columns of `kubectl get pods -o wide`, as kubectl prints them. */
export interface PodColumns {
  name: string;
  /** Ready containers and sidecars, of all: `1/2`. */
  ready: string;
  /** `Running`, `Init:1/2`, `CrashLoopBackOff`, `Terminating`. */
  status: string;
  /** `3 (5m ago)`: the number of restarts and the age of the last one. */
  restarts: string;
  /** Since the creation; `<unknown>` if the pod has no creation time. */
  age: string;
  /** `<none>` if there is none, like the following. */
  ip: string;
  node: string;
  nominatedNode: string;
  /** True gates, of all: `1/2`. */
  readinessGates: string;
}

/** The columns of a pod at a time, in milliseconds since 1970. */
export function podColumns(pod: Pod, now: number): PodColumns {
  const { metadata, spec, status } = pod;
  const { reason, ready, restarts } = podProgress(pod);
  const containers = (spec?.containers ?? []).length + (spec?.initContainers ?? []).filter(isSidecar).length;
  return {
    name: metadata?.name ?? '',
    ready: `${ready}/${containers}`,
    status: statusText(pod, reason),
    restarts: restartsText(restarts, now),
    age: ageOf(metadata?.creationTimestamp, now) ?? '<unknown>',
    // For an old node that sets only this one, the API prefers it.
    ip: status?.podIP || status?.podIPs?.[0]?.ip || '<none>',
    node: spec?.nodeName || '<none>',
    nominatedNode: status?.nominatedNodeName || '<none>',
    readinessGates: readinessGatesText(pod),
  };
}

/**
 * The STATUS column of `kubectl get pods`, also for a status that is newer than the pod's. A node knows that a pod terminates even if it has
 * no deletion time, such as a static pod whose manifest was removed: `isTerminating`.
 */
export function podStatusText(pod: Pod, status: PodStatus | undefined = pod.status, isTerminating = false): string {
  const current = { ...pod, ...(status && { status }) };
  return statusText(current, podProgress(current).reason, isTerminating);
}

function statusText({ metadata, status }: Pod, reason: string, isTerminating = false): string {
  if (!metadata?.deletionTimestamp && !isTerminating) return reason;
  if (status?.reason === 'NodeLost') return 'Unknown';
  return isTerminalPhase(status?.phase) ? reason : 'Terminating';
}

function restartsText({ count, last }: Restarts, now: number): string {
  return count === 0 || last === zeroTime ? String(count) : `${count} (${formatAge(now - last)} ago)`;
}

function readinessGatesText({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  return `${gates.filter(({ conditionType }) => isPodConditionTrue(status, conditionType)).length}/${gates.length}`;
}
