import type { Container, Pod } from '@nodeagent/api';
import { isSidecar, Quantity } from '@nodeagent/api/helpers';

/** Amount of a resource that a container requests. */
export type AmountOf = (container: Container) => number;

export const requestOf =
  (resource: string): AmountOf =>
  ({ resources }) =>
    Number(Quantity.parse(resources?.requests?.[resource] ?? '0').milliValue());

/**
 * The amount that a pod needs at any time of its run: its regular containers and sidecars together, or an init container and the sidecars before
 * it. Kubernetes documentation, "Init Containers: Resource sharing within containers".
 */
export function neededBy({ spec }: Pod, amountOf: AmountOf): number {
  let sidecars = 0;
  let most = 0;
  for (const container of spec?.initContainers ?? []) {
    if (isSidecar(container)) sidecars += amountOf(container);
    else most = Math.max(most, sidecars + amountOf(container));
  }
  const regular = (spec?.containers ?? []).reduce((sum, container) => sum + amountOf(container), 0);
  return Math.max(most, sidecars + regular);
}
