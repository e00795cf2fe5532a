import type { RuntimeContainerStatus } from '@nodeagent/api';
import { newestFirst } from './containers-to-evict.js';

/**
 * The exited containers to remove after one has died, newest first: those of its name beyond the newest `keep`. With an empty id,
 * instances of all names are counted together. With an unknown id the result is empty.
 */
export function containersToDelete(
  statuses: readonly Pick<RuntimeContainerStatus, 'id' | 'name' | 'state' | 'createdAt'>[],
  diedContainerId: string,
  keep: number,
): string[] {
  const died = statuses.find(({ id }) => id === diedContainerId);
  if (died === undefined && diedContainerId !== '') return [];
  return statuses
    .filter(({ name, state }) => state === 'exited' && (died === undefined || name === died.name))
    .sort(newestFirst)
    .slice(keep)
    .map(({ id }) => id);
}
