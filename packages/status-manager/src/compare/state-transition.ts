import type { Container, ContainerStatus, NodeAgentError, PodSpec, PodStatus } from '@nodeagent/api';
import { shouldRestartOnExit } from '@nodeagent/api/helpers';
import { illegalTransition } from '../errors.js';
import { hasRestartAllContainersRule } from '../generate/restart.js';

/**
 * Why a status transition is invalid: a terminated container that is not restarted is no longer terminated, or the statuses of init
 * containers are not in the order of the spec. Undefined if it is valid. A pod that restarts all containers is not checked.
 */
export function checkContainerStateTransition(oldStatus: PodStatus, newStatus: PodStatus, spec: PodSpec): NodeAgentError | undefined {
  if ((spec.restartPolicy || 'Always') === 'Always' || hasRestartAllContainersRule({ spec })) return undefined;

  for (const old of oldStatus.containerStatuses ?? []) {
    const container = spec.containers.find(({ name }) => name === old.name);
    if (hasRevived(old, container, newStatus.containerStatuses, spec)) {
      return illegalTransition(old.name, `terminated container ${old.name} attempted illegal transition to non-terminated state`);
    }
  }
  for (const [index, old] of (oldStatus.initContainerStatuses ?? []).entries()) {
    const container = spec.initContainers?.[index];
    if (container?.name !== old.name) {
      return illegalTransition(old.name, `found mismatch between pod spec and status, container: ${old.name}`);
    }
    if (hasRevived(old, container, newStatus.initContainerStatuses, spec)) {
      return illegalTransition(old.name, `terminated init container ${old.name} attempted illegal transition to non-terminated state`);
    }
  }
  return undefined;
}

function hasRevived(
  old: ContainerStatus,
  container: Container | undefined,
  newStatuses: readonly ContainerStatus[] | undefined,
  spec: PodSpec,
): boolean {
  const exitCode = old.state?.terminated?.exitCode;
  if (exitCode === undefined) return false;
  if (exitCode !== 0 && spec.restartPolicy === 'OnFailure') return false;
  if (container && shouldRestartOnExit({ spec }, container, exitCode)) return false;
  return newStatuses?.some(({ name, state }) => name === old.name && !state?.terminated) ?? false;
}
