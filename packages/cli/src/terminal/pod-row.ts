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

/** What the table says of a pod. */
export interface PodRow {
  name: string;
  ready: string;
  status: string;
  restarts: string;
  age: string;
  /** The pull that the pod waits for, else its last event. */
  lastEvent: string;
  /** Colours the status: `good` is healthy, `waiting` is on its way or not ready, `bad` has failed. */
  mood: 'good' | 'waiting' | 'bad';
}

/** The row of a pod; with the agent's pulls it tells of the one that the pod waits for. */
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
    mood: moodOf(text, isUnready(status, counted)),
  };
}

function moodOf(text: string, unready: boolean): PodRow['mood'] {
  if (text === 'Completed' || (text === 'Running' && !unready)) return 'good';
  return /Err|Error|BackOff|Failed|OOM|Unknown|Invalid|Never|Unsupported/.test(text) ? 'bad' : 'waiting';
}

/** Whether a container runs without being ready, or a readiness gate is closed. A container that has completed makes no pod unhealthy. */
function isUnready(status: PodStatus, counted: readonly ContainerStatus[]): boolean {
  return (
    counted.some(({ state, ready }) => state?.running && !ready) || findPodCondition(status, 'Ready')?.reason === 'ReadinessGatesNotReady'
  );
}

const eventText = (event: PodView['lastEvent'], now: number) =>
  event ? `${formatAge(now - event.at)} ago ${event.reason}: ${event.message}` : '-';

/** The row of a pod while the agent stops all pods: what counts then is only whether it has ended. */
export function stoppingRow(view: PodView, now: number): PodRow {
  const row = podRow(view, now);
  if (view.state === 'TerminatedPod') return stoppedRow(row);
  return { ...row, status: 'Terminating', mood: 'waiting' };
}

/** The row of a pod that is gone. */
export function stoppedRow(row: PodRow): PodRow {
  return { ...row, status: 'Stopped', ready: row.ready.replace(/^\d+/, '0'), mood: 'good' };
}

function sidecarStatuses(pod: Pod, status: PodStatus): ContainerStatus[] {
  const names = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  return (status.initContainerStatuses ?? []).filter(({ name }) => names.has(name));
}

/** One word or two for a pod's state, as `kubectl get pods` shows it: the reason of the container that holds it up, else the phase. */
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

/** `Init:1/2`, `Init:CrashLoopBackOff`: how far the init containers are; undefined once they are through. */
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
