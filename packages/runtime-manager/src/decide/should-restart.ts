import type { Container, RuntimeContainerStatus } from '@nodeagent/api';
import { matchingRestartRule } from '@nodeagent/api/helpers';

/**
 * Whether the exit of a container instance restarts the whole pod in place (KEP-5532). Unlike a restart of the container alone, the
 * restart rules apply even if the container has no `restartPolicy`.
 */
export function triggersRestartAllContainers(container: Container, instance: RuntimeContainerStatus | undefined): boolean {
  if (instance?.state !== 'exited') return false;
  return matchingRestartRule(container, instance.exitCode)?.action === 'RestartAllContainers';
}
