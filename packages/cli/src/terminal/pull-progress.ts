import type { PullInProgress } from '@nodeagent/core';
import { formatAge } from './age.js';

/**
 * What a pull is at: `pulling image for 42s: nginx:1`, or its place among those that wait for their turn. CRI does not tell how much of an
 * image has come, so neither does this.
 *
 * @param pulls - all pulls, oldest first: they get their turns in that order
 */
export function pullProgress(pull: PullInProgress, pulls: readonly PullInProgress[], now: number): string {
  if (pull.state === 'pulling') return `pulling image for ${formatAge(now - (pull.startedAt ?? pull.since))}: ${pull.image}`;
  const waiting = pulls.filter(({ state }) => state === 'waiting');
  const place = waiting.findIndex(({ podUid, image, since }) => podUid === pull.podUid && image === pull.image && since === pull.since) + 1;
  return `in line to pull image for ${formatAge(now - pull.since)} (${place} of ${waiting.length}): ${pull.image}`;
}

/** What the pod's pulls are at, the oldest first; empty if it has none. */
export function pullsOfPod(podUid: string, pulls: readonly PullInProgress[], now: number): string[] {
  return pulls.filter((pull) => pull.podUid === podUid).map((pull) => pullProgress(pull, pulls, now));
}
