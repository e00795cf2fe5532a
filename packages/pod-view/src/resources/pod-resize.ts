import type { Pod } from '@nodeagent/api';
import { findPodCondition } from '@nodeagent/api/helpers';

/** An in-place resize: Kubernetes documentation, "Resize CPU and Memory Resources assigned to Containers". */
export interface PodResize {
  /**
   * `Deferred`: it fits later; `Infeasible`: it never fits on this node; `Proposed`: the node has not decided; `InProgress`: the node applies
   * it; `Error`: the node fails to apply it.
   */
  state: 'Proposed' | 'Deferred' | 'Infeasible' | 'InProgress' | 'Error';
  /** The node's message; empty if it has none. */
  message: string;
}

/** The pod's resize by its conditions; also by the field `resize` that nodes before v1.33 set. */
export function podResize({ status }: Pod): PodResize | undefined {
  const pending = findPodCondition(status, 'PodResizePending');
  if (pending?.status === 'True') return { state: stateOf(pending.reason, 'Proposed'), message: pending.message ?? '' };
  const progress = findPodCondition(status, 'PodResizeInProgress');
  if (progress?.status === 'True') return { state: stateOf(progress.reason, 'InProgress'), message: progress.message ?? '' };
  return status?.resize ? { state: stateOf(status.resize, 'Proposed'), message: '' } : undefined;
}

const states: readonly PodResize['state'][] = ['Proposed', 'Deferred', 'Infeasible', 'InProgress', 'Error'];

const stateOf = (reason: string | undefined, other: PodResize['state']) => states.find((state) => state === reason) ?? other;
