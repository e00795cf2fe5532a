import { errorMessage, NodeAgentError, specName, type VolumeSpec } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';

/** Why an operation on a volume failed, as events have it: `MountVolume.SetUp failed for volume "data" : why`. */
export function operationError(prefix: string, volume: VolumeSpec | string, cause: unknown): NodeAgentError {
  const name = typeof volume === 'string' ? volume : specName(volume);
  return new NodeAgentError(volumeManagerErrorCodes.operationFailed, `${prefix} for volume "${name}" : ${errorMessage(cause)}`, {
    retryable: true,
    cause,
  });
}

/** What the step resolves to, or a rejection that names the step. `onError` is told of the step's own error first. */
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
