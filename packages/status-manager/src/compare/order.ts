import type { Container, ContainerStatus } from '@nodeagent/api';

/** Sorts by container name. Returns the same list if it is sorted already. */
export function nameOrder(statuses: ContainerStatus[]): ContainerStatus[] {
  for (let i = 1; i < statuses.length; i++) {
    if ((statuses[i - 1] as ContainerStatus).name > (statuses[i] as ContainerStatus).name) {
      return statuses.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    }
  }
  return statuses;
}

/** Sorts in the order of the spec, names that are not in the spec last. Returns the same list if it is sorted already. */
export function initOrder(initContainers: readonly Container[], statuses: ContainerStatus[]): ContainerStatus[] {
  let ordered = statuses;
  let place = 0;
  for (const { name } of initContainers) {
    const found = ordered.findIndex((status, index) => index >= place && status.name === name);
    if (found < 0) continue;
    if (found !== place) {
      const [here, there] = [ordered[place], ordered[found]];
      if (here && there) ordered = ordered.with(place, there).with(found, here);
    }
    place++;
  }
  return ordered;
}
