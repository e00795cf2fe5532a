import {
  type ContainerStatus,
  findPodCondition,
  isSidecar,
  isTerminalPhase,
  type Pod,
  type PodStatus,
  parseTime,
  podUid,
} from '@nodeagent/api';
import type { PodView, PullInProgress } from '@nodeagent/core';
import { formatAge } from './age.js';
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

/** The row of a pod; with the agent's pulls it shows the pod's pull. */
export function podRow({ pod, status, state, lastEvent }: PodView, now: number, pulls: readonly PullInProgress[] = []): PodRow {
  const statuses = status.containerStatuses ?? [];
  const sidecars = sidecarStatuses(pod, status);
  const counted = [...statuses, ...sidecars];
  const total = (pod.spec?.containers.length ?? 0) + sidecars.length;
  const restarts = [...counted, ...(status.initContainerStatuses ?? []).filter((each) => !sidecars.includes(each))].reduce(
    (sum, { restartCount }) => sum + restartCount,
    0,
  );
  const times = [status.startTime, pod.metadata?.annotations?.['kubernetes.io/config.seen']]
    .map(parseTime)
    .filter((at) => at !== undefined);
  const isEnding = state === 'TerminatingPod' && !isTerminalPhase(status.phase);
  const text = isEnding ? 'Terminating' : podStatusText(pod, status);
  return {
    name: `${pod.metadata?.namespace}/${pod.metadata?.name}`,
    ready: `${counted.filter(({ ready }) => ready).length}/${total}`,
    status: text,
    restarts: String(restarts),
    age: times.length === 0 ? '-' : formatAge(now - Math.min(...times)),
    lastEvent: pullsOfPod(podUid(pod), pulls, now)[0] ?? eventText(lastEvent, now),
    health: healthOf(text, isUnready(status, counted)),
  };
}

function healthOf(text: string, unready: boolean): PodRow['health'] {
  if (text === 'Completed' || (text === 'Running' && !unready)) return 'good';
  return /Err|Error|BackOff|Failed|OOM|Unknown|Invalid|Never|Unsupported/.test(text) ? 'bad' : 'waiting';
}

/** Whether a running container or a readiness gate is not ready. A completed container does not make a pod unhealthy. */
function isUnready(status: PodStatus, counted: readonly ContainerStatus[]): boolean {
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

function sidecarStatuses(pod: Pod, status: PodStatus): ContainerStatus[] {
  const names = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  return (status.initContainerStatuses ?? []).filter(({ name }) => names.has(name));
}

/** The STATUS column of `kubectl get pods`: the reason of the blocking container, else the phase. */
export function podStatusText(pod: Pod, status: PodStatus): string {
  if (pod.metadata?.deletionTimestamp && !isTerminalPhase(status.phase)) return 'Terminating';
  const init = initText(pod, status.initContainerStatuses ?? []);
  if (init !== undefined) return init;
  if (status.reason) return status.reason;
  for (const { state } of [...(status.containerStatuses ?? [])].reverse()) {
    if (state?.waiting?.reason) return state.waiting.reason;
    const ended = state?.terminated;
    if (ended && status.phase !== 'Succeeded' && ended.reason !== 'Completed') return ended.reason || `ExitCode:${ended.exitCode}`;
  }
  return status.phase === 'Succeeded' ? 'Completed' : (status.phase ?? 'Pending');
}

/** `Init:1/2`, `Init:CrashLoopBackOff`: progress of the init containers; undefined once they have completed. */
function initText(pod: Pod, statuses: ContainerStatus[]): string | undefined {
  const containers = pod.spec?.initContainers ?? [];
  for (const [index, container] of containers.entries()) {
    const status = statuses.find(({ name }) => name === container.name);
    if (status?.state?.terminated?.exitCode === 0) continue;
    if (isSidecar(container) && status?.started) continue;
    const reason = status?.state?.terminated?.reason ?? status?.state?.waiting?.reason;
    if (reason && reason !== 'PodInitializing') return `Init:${reason}`;
    return `Init:${index}/${containers.length}`;
  }
  return undefined;
}
