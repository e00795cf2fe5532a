import { errorMessage, NodeAgentError, type Pod, type VolumeManager } from '@nodeagent/api';
import { volumeManagerErrorCodes } from './errors.js';

/**
 * Waits for the volumes of pods that terminate together, as at a node shutdown. Rejects with `VolumesNotUnmounted`, whose message lists all
 * pods with mounted volumes, and with the signal's reason when it aborts.
 */
export async function waitForAllPodsUnmount(
  volumeManager: Pick<VolumeManager, 'waitForUnmount'>,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<void> {
  const results = await Promise.allSettled(pods.map((pod) => volumeManager.waitForUnmount(pod, signal)));
  signal.throwIfAborted();
  const texts = results.flatMap((result) => (result.status === 'rejected' ? [errorMessage(result.reason)] : []));
  if (texts.length === 0) return;
  const text = texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`;
  throw new NodeAgentError(volumeManagerErrorCodes.notUnmounted, text, { retryable: true });
}
