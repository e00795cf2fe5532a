import { type Container, matchingRestartRule, type RuntimeContainerStatus } from '@nodeagent/api';

/**
 * Whether an instance of the container ended in a way that restarts the whole pod in place (KEP-5532). Unlike for the restart of the
 * container itself, the rules count here without a `restartPolicy` beside them.
 */
export function triggersRestartAllContainers(container: Container, instance: RuntimeContainerStatus | undefined): boolean {
  if (instance?.state !== 'exited') return false;
  return matchingRestartRule(container, instance.exitCode)?.action === 'RestartAllContainers';
}
