import type { Pod, PodStatus } from '@nodeagent/api';
import { configSeenAnnotation, findPodCondition, isSidecar, parseTime, podUid } from '@nodeagent/api/helpers';
import type { PodView, PullInProgress } from '@nodeagent/core/node';
import { formatAge, podColumns, podStatusText } from '@nodeagent/pod-view';
import { pullsOfPod } from './pull-progress.js';

/** The table row of a pod. */
export interface PodRow {
  name: string;
  ready: string;
  status: string;
  restarts: string;
  age: string;
  /** The image pull in progress, else the last event. */
  lastEvent: string;
  /** Colour of the status: `good` is healthy, `waiting` is starting or not ready, `bad` has failed. */
  health: 'good' | 'waiting' | 'bad';
}

/** The row of a pod, with the columns of `kubectl get pods`; with the agent's pulls it shows the pod's pull. */
export function podRow({ pod, status, state, lastEvent }: PodView, now: number, pulls: readonly PullInProgress[] = []): PodRow {
  const { ready, restarts } = podColumns({ ...pod, status }, now);
  const text = podStatusText(pod, status, state === 'TerminatingPod');
  return {
    name: `${pod.metadata?.namespace}/${pod.metadata?.name}`,
    ready,
    status: text,
    restarts,
    age: ageText(pod, status, now),
    lastEvent: pullsOfPod(podUid(pod), pulls, now)[0] ?? eventText(lastEvent, now),
    health: healthOf(text, status, isUnready(pod, status)),
  };
}

/** The age of a pod; one that is not from an API server has no creation time, and counts from when the agent saw it. */
function ageText({ metadata }: Pod, { startTime }: PodStatus, now: number): string {
  const seen = [startTime, metadata?.annotations?.[configSeenAnnotation]].map(parseTime).filter((at) => at !== undefined);
  const since = parseTime(metadata?.creationTimestamp) ?? Math.min(...seen);
  return Number.isFinite(since) ? formatAge(now - since) : '-';
}

function healthOf(text: string, { phase }: PodStatus, unready: boolean): PodRow['health'] {
  if (phase === 'Failed') return 'bad';
  if (phase === 'Succeeded' || text === 'Completed') return 'good';
  // Also NotReady: kubectl's word for a pod of which one container has completed and another runs.
  if ((text === 'Running' || text === 'NotReady') && !unready) return 'good';
  return /Err|Error|BackOff|Failed|OOM|Unknown|Invalid|Never|Unsupported|ExitCode|Signal|CannotRun/.test(text) ? 'bad' : 'waiting';
}

/** Whether a running container or a readiness gate is not ready. A completed container does not make a pod unhealthy. */
function isUnready({ spec }: Pod, status: PodStatus): boolean {
  const sidecars = new Set((spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const counted = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name))];
  return (
    counted.some(({ state, ready }) => state?.running && !ready) || findPodCondition(status, 'Ready')?.reason === 'ReadinessGatesNotReady'
  );
}

const eventText = (event: PodView['lastEvent'], now: number) =>
  event ? `${formatAge(now - event.at)} ago ${event.reason}: ${event.message}` : '-';

/** The row of a pod while the agent stops all pods: only its termination counts. */
export function stoppingRow(view: PodView, now: number): PodRow {
  const row = podRow(view, now);
  if (view.state === 'TerminatedPod') return stoppedRow(row);
  return { ...row, status: 'Terminating', health: 'waiting' };
}

/** The row of a stopped pod. */
export function stoppedRow(row: PodRow): PodRow {
  return { ...row, status: 'Stopped', ready: row.ready.replace(/^\d+/, '0'), health: 'good' };
}
