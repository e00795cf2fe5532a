import type { KubeObject } from '@nodeagent/api';
import type { Invariant } from '../run.js';

/** At the end `status.observedGeneration` is the generation of each object whose spec was changed and whose status the controller writes. */
export const statusCatchesUp: Invariant = {
  name: 'status catches up with the generation',
  check({ writes, end }) {
    const reported = new Set(writes.filter(({ subresource }) => subresource === 'status').map(({ resource }) => resource));
    for (const { resource, object } of end) {
      const { metadata, status } = object as KubeObject & { status?: { observedGeneration?: number } };
      const generation = metadata?.generation ?? 1;
      if (!reported.has(resource) || generation === 1 || metadata?.deletionTimestamp) continue;
      if (status?.observedGeneration !== generation) {
        return `${resource} ${metadata?.name} has generation ${generation}, its status is of ${status?.observedGeneration ?? 'none'}`;
      }
    }
    return undefined;
  },
};
