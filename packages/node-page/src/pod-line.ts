import { describeSteps, isStaticPod, parseTime, podUid } from '@nodeagent/api/helpers';
import { podStatusText } from '@nodeagent/pod-view';
import { type Health, podHealth } from '@nodeagent/pod-view/health';
import { briefError } from '@nodeagent/pod-view/timeline';
import { type ContainerLine, containerLines } from './container-line.js';
import type { NodePageAgent, PagePod, PagePodExplanation, PageSync } from './options.js';

/** A pod on the page. Times are milliseconds since 1970. */
export interface PodLine {
  uid: string;
  namespace: string;
  name: string;
  phase: string;
  /** The STATUS column of `kubectl get pods`: `CrashLoopBackOff`, `Init:1/2`. */
  status: string;
  /** Whether it is a static pod. */
  isStatic: boolean;
  health: Health;
  /** Number of ready containers and sidecars, and of all. */
  ready: [ready: number, of: number];
  restarts: number;
  startedAt?: number;
  ip?: string;
  /** Absent before the first sync. */
  worker?: WorkerLine;
  containers: ContainerLine[];
}

/** The last syncs of the pod's worker and its next one. */
export interface WorkerLine {
  lastSyncAt?: number;
  lastError?: string;
  lastChange?: { at: number; text: string };
  nextSyncAt?: number;
}

/** The line of one pod, with the agent's explanation. */
export function podLine(
  view: PagePod,
  agent: Pick<NodePageAgent, 'explain' | 'podAssignments' | 'pulls' | 'probeResults'>,
  now: number,
): PodLine {
  const { pod, status } = view;
  const uid = podUid(pod);
  const explanation = agent.explain(uid);
  const containers = containerLines(pod, status, agent.probeResults, agent.podAssignments?.(uid)?.containers);
  const counted = containers.filter(({ kind }) => kind === 'container' || kind === 'sidecar');
  const startedAt = parseTime(status.startTime);
  return {
    uid,
    namespace: pod.metadata?.namespace ?? '',
    name: pod.metadata?.name ?? '',
    phase: status.phase ?? 'Pending',
    status: podStatusText(pod, status, view.state === 'TerminatingPod'),
    isStatic: isStaticPod(pod),
    health: healthOf(view, explanation, agent.pulls(), now),
    ready: [counted.filter(({ ready }) => ready).length, counted.length],
    restarts: containers.reduce((sum, { restarts }) => sum + restarts, 0),
    ...(startedAt !== undefined && { startedAt }),
    ...(status.podIP && { ip: status.podIP }),
    ...(explanation?.lastSync && { worker: workerLine(explanation.lastSync, explanation.lastChange, explanation.nextRetryAt) }),
    containers,
  };
}

function healthOf(
  { pod, status, state }: PagePod,
  explanation: PagePodExplanation | undefined,
  pulls: ReturnType<NodePageAgent['pulls']>,
  now: number,
): Health {
  return podHealth({
    pod: { ...pod, status },
    now,
    isTerminating: state === 'TerminatingPod' || state === 'TerminatedPod',
    terminationCause: explanation?.terminationCause,
    syncError: explanation?.lastSync?.error,
    nextRetryAt: explanation?.nextRetryAt,
    backOffs: explanation?.backOffs ?? [],
    pull: pulls.find(({ podUid: uid }) => uid === podUid(pod)),
  });
}

function workerLine(lastSync: PageSync, lastChange: PageSync | undefined, nextSyncAt: number | undefined): WorkerLine {
  const steps = describeSteps(lastChange?.reasons);
  return {
    lastSyncAt: lastSync.endedAt ?? lastSync.startedAt,
    ...(lastSync.error !== undefined && { lastError: briefError(lastSync.error) }),
    ...(lastChange && steps && { lastChange: { at: lastChange.endedAt ?? lastChange.startedAt, text: steps } }),
    ...(nextSyncAt !== undefined && { nextSyncAt }),
  };
}
