import type { Container, RuntimeContainerStatus } from '@nodeagent/api';
import { isStaticPod } from '@nodeagent/api/helpers';
import { containerResourceValues } from './applied-and-desired.js';
import type { ContainerToUpdate, PodActions, PodActionsInput, ResizableResource } from './pod-actions.js';
import { type ExactResourceValues, resourceNumbers, sameResourceValues } from './resource-values.js';

/**
 * Decides about a running container whose resources differ from those last applied: update in place, or restart if its `resizePolicy`
 * requires it. Adds to `actions`; returns whether the container keeps running.
 * Kubernetes documentation, "Resize CPU and Memory Resources assigned to Containers".
 */
export function computeResizeAction(
  input: PodActionsInput,
  container: Container,
  status: RuntimeContainerStatus,
  start: () => void,
  actions: PodActions,
): boolean {
  if (isStaticPod(input.pod) || status.state !== 'running') return true;
  const { from, to } = containerResourceValues(input, container);
  if (sameResourceValues(from, to)) return true;

  const changed = changedResources(from, to);
  const needsRestart = changed.some(({ resource }) => resizeRestartPolicy(container, resource) === 'RestartContainer');
  if (needsRestart) {
    const message = `Container ${container.name} resize requires restart`;
    actions.containersToKill.push({ id: status.id, name: status.name, message, reason: '' });
    actions.updatePodResources = true;
    actions.reasons.push({ action: 'kill', target: container.name, reason: message });
    start();
    return false;
  }
  for (const { resource, increase } of changed) {
    const update: ContainerToUpdate = { id: status.id, name: container.name, from: resourceNumbers(from), to: resourceNumbers(to) };
    const updates = actions.containersToUpdate[resource] ?? [];
    actions.containersToUpdate[resource] = increase ? [...updates, update] : [update, ...updates];
    actions.reasons.push({ action: 'update', target: container.name, reason: `${resource} differs from what was last applied` });
  }
  return true;
}

/** Which resources differ, and whether they increase: by the limit if it changed, else by the request. */
function changedResources(from: ExactResourceValues, to: ExactResourceValues): { resource: ResizableResource; increase: boolean }[] {
  const compare = (resource: ResizableResource, limit: bigint, request: bigint) => {
    const difference = limit !== 0n ? limit : request;
    return difference === 0n ? [] : [{ resource, increase: difference > 0n }];
  };
  return [
    ...compare('memory', to.memoryLimit - from.memoryLimit, to.memoryRequest - from.memoryRequest),
    ...compare('cpu', to.cpuLimit - from.cpuLimit, to.cpuRequest - from.cpuRequest),
  ];
}

function resizeRestartPolicy(container: Container, resource: ResizableResource): string {
  return container.resizePolicy?.find(({ resourceName }) => resourceName === resource)?.restartPolicy ?? 'NotRequired';
}
