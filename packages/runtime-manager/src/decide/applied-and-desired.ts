import type { Container } from '@nodeagent/api';
import type { PodActionsInput } from './pod-actions.js';
import { type ExactResourceValues, resourceValues, sameResourceValues } from './resource-values.js';

type ResizeInput = Pick<PodActionsInput, 'pod' | 'actuated' | 'actuatedPod'>;

/**
 * The resources last applied to a container, and those of its spec. Both use the pod-level limit for a limit that the container does
 * not set. KEP-5419, "In-place Pod-Level Resources Resizing".
 */
export function containerResourceValues(
  { pod, actuated, actuatedPod }: ResizeInput,
  { name, resources }: Container,
): { from: ExactResourceValues; to: ExactResourceValues } {
  return {
    from: resourceValues(actuated.get(name), actuatedPod?.limits),
    to: resourceValues(resources, pod.spec?.resources?.limits),
  };
}

/** Whether the pod-level resources of the spec differ from those last applied. */
export function podLevelResourcesDiffer({ pod, actuatedPod }: Pick<ResizeInput, 'pod' | 'actuatedPod'>): boolean {
  const desired = pod.spec?.resources;
  return desired !== undefined && desired !== null && !sameResourceValues(resourceValues(desired), resourceValues(actuatedPod));
}
