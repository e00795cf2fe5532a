import { type Container, type EventRecorder, NodeAgentError, noEvents, type Pod, type PodRuntimeStatus } from '@nodeagent/api';
import { containerReference, crashLoopMessage, crashLoopResetMs, createBackoff, formatPod, podUid } from '@nodeagent/api/helpers';
import { fnv1a64 } from '../decide/fnv1a64.js';
import { runtimeManagerErrorCodes } from '../errors.js';

/** The key of a back-off. A new image or new resources reset the delay, because they change the key. */
export function backOffKey(pod: Pod, container: Container): string {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const resources = JSON.stringify(container.resources ?? {});
  return fnv1a64([name, namespace, podUid(pod), container.name, container.image ?? '', resources].join('/')).toString(16);
}

/** When a container that keeps failing may start again. */
export interface CrashLoopBackOff {
  /**
   * Call it before each start, with the time in milliseconds. Throws CrashLoopBackOff while the container has to wait; else records the
   * start, which doubles the next delay. A container that never exited starts at once.
   */
  beforeStart(pod: Pod, container: Container, status: Pick<PodRuntimeStatus, 'containerStatuses'>, now: number): void;
  /** The current delay in milliseconds; 0 if none. */
  current(pod: Pod, container: Container): number;
  /** Removes the back-offs of containers that have not started for ten minutes. */
  collect(now: number): void;
}

/**
 * Delays of 10 s, 20 s, ... up to `maxMs`: Kubernetes documentation, "Pod Lifecycle: how Pods handle problems with containers".
 * A BackOff event is recorded once for each wait, at the first `beforeStart` that throws. `recorder`: default none.
 */
export function createCrashLoopBackOff(maxMs: number, recorder: EventRecorder = noEvents): CrashLoopBackOff {
  const backoff = createBackoff({ maxMs, expiryMs: crashLoopResetMs });
  /** The error of each current wait: all syncs until its end get the same one. */
  const waits = new Map<string, { finishedAt: number; error: NodeAgentError }>();
  const waitOf = (key: string, pod: Pod, container: Container, finishedAt: number): NodeAgentError => {
    const known = waits.get(key);
    if (known?.finishedAt === finishedAt) return known.error;
    const error = inBackOff(pod, container, backoff.get(key), finishedAt);
    waits.set(key, { finishedAt, error });
    const message = `Back-off restarting failed container ${container.name} in pod ${formatPod(pod)}`;
    recorder.event(containerReference(pod, container.name), 'Warning', 'BackOff', message);
    return error;
  };
  return {
    beforeStart(pod, container, { containerStatuses }, now) {
      const exited = containerStatuses.find(({ name, state }) => name === container.name && state === 'exited');
      if (exited === undefined) return;
      const key = backOffKey(pod, container);
      const finishedAt = Number((exited.finishedAt ?? 0n) / 1_000_000n);
      if (backoff.isInBackoffSince(key, finishedAt, now)) throw waitOf(key, pod, container, finishedAt);
      waits.delete(key);
      backoff.next(key, finishedAt, now);
    },
    current: (pod, container) => backoff.get(backOffKey(pod, container)),
    collect(now) {
      backoff.collect(now);
      for (const key of waits.keys()) if (backoff.get(key) === 0) waits.delete(key);
    },
  };
}

function inBackOff(pod: Pod, container: Container, delayMs: number, finishedAt: number): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.crashLoopBackOff, crashLoopMessage(pod, container.name, delayMs), {
    retryable: true,
    hint: 'Check why the container exits: see its last state and the log of its previous attempt (kubectl logs --previous).',
    details: { expiry: finishedAt + delayMs, backOffMs: delayMs },
  });
}
