import type { ContainerStateTerminated, Pod } from '@nodeagent/api';
import {
  backOffAfter,
  crashLoopDelay,
  crashLoopResetMs,
  isTerminalPhase,
  maxContainerBackOffMs,
  parseTime,
  shouldRestartOnExit,
} from '@nodeagent/api/helpers';
import { type ContainerFacts, containerFacts } from './container-facts.js';
import { type EventFacts, eventsOf, type PodEvent } from './pod-events.js';
import { terminationText } from './termination-text.js';

/** When a container starts again, as far as its status contains it. Times are milliseconds since 1970. */
export interface ContainerRestart {
  container: string;
  kind: 'init' | 'sidecar' | 'container';
  /**
   * `running`; `backOff`: it exited and restarts after its back-off; `imagePull`: its image cannot be pulled; `waiting`: it waits for
   * something else; `ended`: it does not restart.
   */
  state: 'running' | 'backOff' | 'imagePull' | 'waiting' | 'ended';
  /** Why: the reason in its status, such as `CrashLoopBackOff`, or how it terminated. Empty if it runs or waits without a reason. */
  reason: string;
  /** The length of the back-off in milliseconds; of a running container: that after its next exit. */
  backOffMs?: number;
  /** Whether `backOffMs` is the node's, and not derived from the number of restarts or events. */
  isExact?: boolean;
  /** The end of the back-off; the node's first sync from then on restarts the container, or pulls the image. */
  at?: number;
  /** The time from which on the back-off of a running container begins again. */
  resetsAt?: number;
  /** Why `at` is unknown, if the container waits for it. */
  unknown?: string;
}

/** Options of {@link nextRestarts}. */
export interface NextRestartsOptions {
  /** The node's `crashLoopBackOff.maxContainerRestartPeriod` in milliseconds. Default 300 s. */
  maxBackOffMs?: number;
  /** The pod's events, from which the back-off of an image pull is derived. Default none. */
  events?: readonly PodEvent[];
  /** The back-offs that the node's agent knows, with their ends in milliseconds since 1970. They replace derived ones. Default none. */
  backOffs?: readonly { container: string; until: number }[];
}

type Restart = Omit<ContainerRestart, 'container' | 'kind'>;

/**
 * The next restart and the back-off of each container but ephemeral ones at `now` (milliseconds since 1970): 10 s, doubled with each
 * restart up to the maximum, and none after a run of ten minutes. A status has no back-off unless in its message: one derived from the
 * number of restarts is too long if an earlier run took ten minutes. Kubernetes documentation, "Pod Lifecycle: how Pods handle problems
 * with containers".
 */
export function nextRestarts(pod: Pod, now: number, options: NextRestartsOptions = {}): ContainerRestart[] {
  const { maxBackOffMs = maxContainerBackOffMs, events = [], backOffs = [] } = options;
  const about = eventsOf(pod, events);
  return containerFacts(pod).map((facts) => {
    const { name: container, kind } = facts;
    const { unknown, ...restart } = { ...restartOf(pod, facts, now, maxBackOffMs, about), container, kind };
    const { until } = backOffs.find((each) => each.container === container) ?? {};
    return until === undefined ? { ...restart, ...(unknown && { unknown }) } : { ...restart, at: until };
  });
}

function restartOf(pod: Pod, facts: ContainerFacts, now: number, maxMs: number, events: readonly EventFacts[]): Restart {
  const { waiting, running, terminated } = facts.state;
  const failures = facts.status?.restartCount ?? 0;
  if (running) {
    const resetsAt = (parseTime(running.startedAt) ?? now) + crashLoopResetMs;
    const isReset = failures === 0 || now > resetsAt;
    return {
      state: 'running',
      reason: '',
      isExact: isReset,
      ...(isReset ? { backOffMs: 0 } : { backOffMs: backOffAfter(failures, undefined, maxMs), resetsAt }),
    };
  }
  if (isTerminalPhase(pod.status?.phase) || pod.metadata?.deletionTimestamp) return { state: 'ended', reason: reasonOf(facts) };
  if (terminated) {
    if (!restarts(pod, facts, terminated)) return { state: 'ended', reason: reasonOf(facts) };
    return { state: 'backOff', reason: reasonOf(facts), ...backOff(terminated, estimatedMs(terminated, failures, maxMs)) };
  }
  const reason = waiting?.reason ?? '';
  if (reason === 'CrashLoopBackOff') {
    const last = facts.status?.lastState?.terminated;
    const exact = crashLoopDelay(waiting?.message ?? '');
    return { state: 'backOff', reason, ...backOff(last, exact ?? estimatedMs(last, failures, maxMs), exact !== undefined) };
  }
  if (!isPullProblem(reason)) return { state: 'waiting', reason };
  return { state: 'imagePull', reason, ...pullBackOff(facts, events) };
}

export const isPullProblem = (reason: string): boolean =>
  /^(ErrImagePull|ImagePullBackOff|RegistryUnavailable|SignatureValidationFailed)$/.test(reason);

/** An init container that succeeded is done, whatever the pod's policy. */
function restarts(pod: Pod, { kind, container }: ContainerFacts, { exitCode = 0 }: ContainerStateTerminated): boolean {
  return !(kind === 'init' && exitCode === 0) && shouldRestartOnExit(pod, container, exitCode);
}

const reasonOf = ({ state: { terminated, waiting } }: ContainerFacts): string =>
  terminated ? terminationText(terminated) : (waiting?.reason ?? '');

/** The back-off by the number of restarts; the first restart has none, and neither has one after a long run. */
function estimatedMs(last: ContainerStateTerminated | undefined, failures: number, maxMs: number): number {
  const [started, finished] = [parseTime(last?.startedAt), parseTime(last?.finishedAt)];
  const isSteady = started !== undefined && finished !== undefined && finished - started > crashLoopResetMs;
  return isSteady ? 0 : backOffAfter(failures, undefined, maxMs);
}

function backOff(last: ContainerStateTerminated | undefined, backOffMs: number, isExact = backOffMs === 0): Partial<Restart> {
  const finished = parseTime(last?.finishedAt);
  const end = finished === undefined ? { unknown: 'the status has no time of the last exit' } : { at: finished + backOffMs };
  return { backOffMs, isExact, ...end };
}

/** How the message of an event about a failed pull begins; other events have the same reason. */
export const failedPull = 'Failed to pull image';

/** Only events report when and how often a pull failed. */
function pullBackOff({ name }: ContainerFacts, events: readonly EventFacts[]): Partial<Restart> {
  const failed = events.find(({ container, message }) => container === name && message.startsWith(failedPull));
  if (!failed?.at) return { unknown: 'a status does not have the time of the last pull' };
  const backOffMs = backOffAfter(failed.count);
  return { backOffMs, isExact: false, at: failed.at + backOffMs };
}
