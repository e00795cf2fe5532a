import type { Worlds } from '../world/queries.js';

/** Whether a volume of the pod is not attached because the node can have no more; an attacher that cannot tell counts as no. */
export async function isAttachmentLimitExceeded({ desired, actual }: Worlds, podUid: string, signal: AbortSignal): Promise<boolean> {
  for (const volumeName of new Set(desired.volumeNamesOfPod(podUid).values())) {
    const wanted = desired.volumeToMount(podUid, volumeName);
    if (!wanted?.attachable || actual.get(volumeName) !== undefined) continue;
    const { plugin, spec } = wanted.resolved;
    const isExhausted = await plugin.attachable?.isResourceExhausted?.(spec, signal).catch(() => false);
    if (isExhausted) return true;
  }
  return false;
}
