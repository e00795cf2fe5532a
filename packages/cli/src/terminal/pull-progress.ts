import type { PullInProgress } from '@nodeagent/core/node';
import { formatAge } from '@nodeagent/pod-view';

/**
 * Progress of a pull: `pulling image for 42s: nginx:1`, or its position in the queue. CRI does not report downloaded bytes.
 * @param pulls - all pulls, oldest first, which is the order of the queue
 */
export function pullProgress(pull: PullInProgress, pulls: readonly PullInProgress[], now: number): string {
  if (pull.state === 'pulling') return `pulling image for ${formatAge(now - (pull.startedAt ?? pull.since))}: ${pull.image}`;
  const waiting = pulls.filter(({ state }) => state === 'waiting');
  const place = waiting.findIndex(({ podUid, image, since }) => podUid === pull.podUid && image === pull.image && since === pull.since) + 1;
  return `image pull queued for ${formatAge(now - pull.since)} (${place} of ${waiting.length}): ${pull.image}`;
}

/** Progress of the pod's pulls, oldest first; empty without pulls. */
export function pullsOfPod(podUid: string, pulls: readonly PullInProgress[], now: number): string[] {
  return pulls.filter((pull) => pull.podUid === podUid).map((pull) => pullProgress(pull, pulls, now));
}
