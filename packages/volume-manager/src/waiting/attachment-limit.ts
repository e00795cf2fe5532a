import type { VolumeStates } from '../state/queries.js';

/** Whether a volume of the pod is not attached because of the node's attachment limit; false if the attacher does not report it. */
export async function isAttachmentLimitExceeded({ desired, actual }: VolumeStates, podUid: string, signal: AbortSignal): Promise<boolean> {
  for (const volumeName of new Set(desired.volumeNamesOfPod(podUid).values())) {
    const wanted = desired.volumeToMount(podUid, volumeName);
    if (!wanted?.attachable || actual.get(volumeName) !== undefined) continue;
    const { plugin, spec } = wanted.resolved;
    const isExhausted = await plugin.attachable?.isResourceExhausted?.(spec, signal).catch(() => false);
    if (isExhausted) return true;
  }
  return false;
}
