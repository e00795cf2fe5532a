import type { Pod, PodStatus } from '@nodeagent/api';
import { configSeenAnnotation, parseTime, podUid } from '@nodeagent/api/helpers';
import type { PodView, PullInProgress } from '@nodeagent/core/node';
import { formatAge, podColumns, podStatusText } from '@nodeagent/pod-view';
import { podHealth } from '@nodeagent/pod-view/health';
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
  /** Colour of the status, by `podHealth` as on the node page: `good` is healthy, `waiting` is starting, not ready or was just restarted. */
  health: 'good' | 'waiting' | 'bad';
}

/**
 * The row of a pod, with the columns of `kubectl get pods`; with the agent's pulls it shows the pod's pull. `syncError` is the error of the
 * worker's last sync.
 */
export function podRow(view: PodView & { syncError?: string }, now: number, pulls: readonly PullInProgress[] = []): PodRow {
  const { pod, status, state, lastEvent, syncError } = view;
  const { ready, restarts } = podColumns({ ...pod, status }, now);
  const isTerminating = state === 'TerminatingPod' || state === 'TerminatedPod';
  const pull = pulls.find((each) => each.podUid === podUid(pod));
  return {
    name: `${pod.metadata?.namespace}/${pod.metadata?.name}`,
    ready,
    status: podStatusText(pod, status, state === 'TerminatingPod'),
    restarts,
    age: ageText(pod, status, now),
    lastEvent: pullsOfPod(podUid(pod), pulls, now)[0] ?? eventText(lastEvent, now),
    health: healthOfLevel[podHealth({ pod: { ...pod, status }, now, isTerminating, syncError, pull }).level],
  };
}

/** The age of a pod; one that is not from an API server has no creation time, and counts from when the agent saw it. */
function ageText({ metadata }: Pod, { startTime }: PodStatus, now: number): string {
  const seen = [startTime, metadata?.annotations?.[configSeenAnnotation]].map(parseTime).filter((at) => at !== undefined);
  const since = parseTime(metadata?.creationTimestamp) ?? Math.min(...seen);
  return Number.isFinite(since) ? formatAge(now - since) : '-';
}

/** The colour of a level, for which a terminal has three. */
const healthOfLevel = { bad: 'bad', warn: 'waiting', busy: 'waiting', ending: 'waiting', ok: 'good', done: 'good' } as const;

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
