import type { Pod } from '../objects/pod.js';
import { formatDuration, parseDuration } from './duration.js';
import { formatPod } from './pod.js';

/** How long a container has to run until its restart back-off begins again, in milliseconds: 10 minutes, fixed in a kubelet. */
export const crashLoopResetMs = 600_000;

/** The message of a container that waits with the reason `CrashLoopBackOff`: `back-off 20s restarting failed container=...`. */
export function crashLoopMessage(pod: Pod, containerName: string, delayMs: number): string {
  return `back-off ${formatDuration(delayMs)} restarting failed container=${containerName} pod=${formatPod(pod)}`;
}

/** The delay in a {@link crashLoopMessage}, in milliseconds; undefined for another message. */
export function crashLoopDelay(message: string): number | undefined {
  const [, delay] = /^back-off (\S+) restarting failed container/.exec(message) ?? [];
  return delay === undefined ? undefined : parseDuration(delay);
}
