import type { Pod } from '@nodeagent/api';
import { isSidecar, podUid } from '@nodeagent/api/helpers';
import { minimumGraceSeconds, stoppedPod } from './lifecycle-invariants.js';
import type { Invariant } from './snapshot.js';

/**
 * A sidecar is stopped after all regular containers and after the sidecars that follow it, unless their grace period has ended, which the
 * minimum as its own shows.
 */
export const terminationOrder: Invariant = (snapshot) =>
  snapshot.history.stops.flatMap((stop) => {
    const found = stoppedPod(snapshot, stop);
    if (found === undefined || stop.timeoutSeconds <= minimumGraceSeconds) return [];
    const before = stoppedBefore(found.pod, found.name);
    return stop.running
      .filter((name) => before.includes(name))
      .map((name) => `${podUid(found.pod)}/${found.name} was stopped while ${name} ran, which ends before it`);
  });

/** Names of the containers that end before this one. */
function stoppedBefore({ spec }: Pod, name: string): string[] {
  const sidecars = (spec?.initContainers ?? []).filter(isSidecar).map((container) => container.name);
  const index = sidecars.indexOf(name);
  if (index < 0) return [];
  return [...(spec?.containers ?? []).map((container) => container.name), ...sidecars.slice(index + 1)];
}
