import { NodeAgentError, type VolumeSpec, type VolumeUsage } from '@nodeagent/api';
import { isBlockVolume, join } from '@nodeagent/api/helpers';
import { type PluginContext, withDriver } from './context.js';
import { csiErrorCodes } from './errors.js';
import { csiBlockPaths, csiTargetPath } from './names.js';
import { mountSource } from './source.js';

/**
 * Reads the usage of a pod's volume by NodeGetVolumeStats, and its condition if the driver has VOLUME_CONDITION. Values that the driver does not report are 0.
 * Rejects with `CsiNotSupported` if the driver lacks GET_VOLUME_STATS.
 */
export async function volumeUsage(
  context: PluginContext,
  spec: VolumeSpec,
  pod: { uid: string; namespace: string },
  outer: AbortSignal,
): Promise<VolumeUsage> {
  const { driver, volumeHandle, specName } = mountSource(spec, pod);
  const volumePath = isBlockVolume(spec)
    ? join(csiBlockPaths(context.paths, specName).globalMapPath, pod.uid)
    : csiTargetPath(context.paths, pod.uid, specName);
  return withDriver(context, driver, 'failed to get CSI client', outer, async (calls) => {
    if (!(await calls.can('GET_VOLUME_STATS'))) {
      throw new NodeAgentError(csiErrorCodes.csiNotSupported, `metrics are not supported for ${driver} volumes`);
    }
    const reportsCondition = await calls.can('VOLUME_CONDITION');
    const { usage, volumeCondition } = await calls.call('nodeGetVolumeStats', { volumeId: volumeHandle, volumePath });
    if (usage.length === 0 && !reportsCondition) {
      throw new NodeAgentError(csiErrorCodes.operationFailed, 'failed to get usage from response. usage is nil');
    }
    const bytes = usage.findLast(({ unit }) => unit === 'BYTES');
    const inodes = usage.findLast(({ unit }) => unit === 'INODES');
    return {
      capacityBytes: bytes?.total ?? 0n,
      availableBytes: bytes?.available ?? 0n,
      usedBytes: bytes?.used ?? 0n,
      inodes: inodes?.total ?? 0n,
      inodesFree: inodes?.available ?? 0n,
      inodesUsed: inodes?.used ?? 0n,
      ...(reportsCondition && volumeCondition !== undefined ? { condition: volumeCondition } : {}),
    };
  });
}
