import type { Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { explainPod } from '@nodeagent/pod-view';

/** The result of a matcher, as in vitest and jest. */
export interface MatcherResult {
  pass: boolean;
  message(): string;
}

/** The matchers of {@link podMatchers} on `expect(pod)`. */
export interface PodMatchers<Result = unknown> {
  /** The pod's phase is Running and all containers run; init containers may have terminated. */
  toBeRunning(): Result;
  /** The pod's condition Ready is True. */
  toBeReady(): Result;
  /** The sum of the containers' restart counts; without a number: at least one restart. */
  toHaveRestarted(times?: number): Result;
  /** The pod's phase is Failed, for this reason if one is given, such as `Evicted`. */
  toHaveFailed(reason?: string): Result;
}

type Received = Pod | undefined;

/**
 * Pod matchers for vitest and jest, which describe the pod when they fail: `expect.extend(podMatchers)`. Their types are
 * {@link PodMatchers}; the README shows how to declare them for vitest.
 */
export const podMatchers = {
  toBeRunning: (pod: Received) =>
    result(
      pod,
      'be running',
      pod?.status?.phase === 'Running' && pod.status.containerStatuses?.every(({ state }) => state?.running) === true,
    ),
  toBeReady: (pod: Received) => result(pod, 'be ready', pod !== undefined && isPodReady(pod)),
  toHaveRestarted(pod: Received, times?: number) {
    const restarts = containersOf(pod).reduce((sum, { restartCount }) => sum + restartCount, 0);
    const pass = pod !== undefined && (times === undefined ? restarts > 0 : restarts === times);
    return result(pod, times === undefined ? 'have restarted' : `have restarted ${times} times`, pass);
  },
  toHaveFailed(pod: Received, reason?: string) {
    const { phase, reason: why } = pod?.status ?? {};
    const pass = phase === 'Failed' && (reason === undefined || why === reason);
    return result(pod, reason === undefined ? 'have failed' : `have failed with ${reason}`, pass);
  },
};

function result(pod: Received, what: string, pass: boolean): MatcherResult {
  return { pass, message: () => `expected ${pod?.metadata?.name ?? 'the pod'} ${pass ? 'not ' : ''}to ${what}, but ${describePod(pod)}` };
}

const containersOf = (pod: Received) => [...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])];

/**
 * `it is Pending on node-1: main waits (ImagePullBackOff), 0 restarts`. With the time `now` (milliseconds since 1970) followed by the reason,
 * and what happens next: `explainPod` of `@nodeagent/pod-view`.
 */
export function describePod(pod: Received, now?: number): string {
  if (pod === undefined) return 'the pod does not exist';
  const { phase = 'Pending', reason, message, conditions = [] } = pod.status ?? {};
  const node = pod.spec?.nodeName ? ` on ${pod.spec.nodeName}` : '';
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message;
  const why = [reason, message, unscheduled].filter((part) => part).join(', ');
  const containers = containersOf(pod).map(({ name, state, restartCount }) => {
    const { waiting, terminated } = state ?? {};
    const is = waiting ? `waits (${waiting.reason})` : terminated ? `has ended (${terminated.reason}, ${terminated.exitCode})` : 'runs';
    return `${name} ${is}, ${restartCount} restarts`;
  });
  const explanation = now === undefined ? '' : `. ${explainPod(pod, { now }).sentence}`;
  return `it is ${phase}${node}${why ? ` (${why})` : ''}${containers.length > 0 ? `: ${containers.join('; ')}` : ''}${explanation}`;
}
