import type { ResourceRequirements } from '@nodeagent/api';

/** The resources last applied to one pod. */
export interface ActuatedPod {
  /** By container name. */
  containers: Record<string, ResourceRequirements>;
  /** The pod-level ones, if the pod has any. */
  pod?: ResourceRequirements;
}

/** By pod UID. */
export type ActuatedState = Record<string, ActuatedPod>;

/** Stores the resources applied to running containers across restarts of the agent: the CRI does not report all of them. */
export interface ActuatedStateStore {
  /** The last saved state; undefined if none was saved. Rejects if it cannot be read. */
  load(): Promise<ActuatedState | undefined>;
  /** Replaces the whole state. Calls do not overlap. */
  save(state: ActuatedState): Promise<void>;
}
