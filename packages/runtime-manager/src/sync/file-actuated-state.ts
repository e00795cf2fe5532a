import { createCheckpointFile, decodeResourcesCheckpoint, encodeResourcesCheckpoint } from '@nodeagent/api/files';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { ActuatedStateStore } from './actuated-state.js';

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
