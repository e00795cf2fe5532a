import type { ResourceRequirements } from '@nodeagent/api';
import { createCheckpointFile, decodeResourcesCheckpoint, encodeResourcesCheckpoint } from '@nodeagent/api/files';
import { runtimeManagerErrorCodes } from '../errors.js';

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

/**
 * The state in a checkpoint file, in the kubelet's format; the kubelet's is `actuated_pods_state` in its root folder. `load` renames a
 * damaged file to `<path>.broken` and rejects with `InvalidActuatedState`.
 */
export function createFileActuatedState(path: string): ActuatedStateStore {
  return createCheckpointFile({
    path,
    encode: encodeResourcesCheckpoint,
    decode: decodeResourcesCheckpoint,
    damagedCode: runtimeManagerErrorCodes.actuatedState,
  });
}
