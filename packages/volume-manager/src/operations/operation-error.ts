import { errorMessage, NodeAgentError, type VolumeSpec } from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';

/** The error of a failed operation, with the text of its event: `MountVolume.SetUp failed for volume "data" : why`. */
export function operationError(prefix: string, volume: VolumeSpec | string, cause: unknown): NodeAgentError {
  const name = typeof volume === 'string' ? volume : specName(volume);
  return new NodeAgentError(volumeManagerErrorCodes.operationFailed, `${prefix} for volume "${name}" : ${errorMessage(cause)}`, {
    retryable: true,
    cause,
  });
}

/** Runs a step. If it rejects, calls `onError` with the error and rejects with an error that names the step. */
export async function step<T>(
  prefix: string,
  volume: VolumeSpec | string,
  run: () => T | Promise<T>,
  onError?: (error: unknown) => void,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    onError?.(error);
    throw operationError(prefix, volume, error);
  }
}
