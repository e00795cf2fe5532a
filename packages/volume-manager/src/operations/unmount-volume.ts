import type { VolumePlugin } from '@nodeagent/api';
import { isBlockVolume, specName } from '@nodeagent/api/helpers';
import type { MountedPodVolume, PodMountFacts } from '../state/actual-state.js';
import type { OperationContext } from './context.js';
import { blockMapping } from './map-volume.js';
import { operationError, step } from './operation-error.js';

/** Unmounts a pod's volume. After a failure the mount is uncertain. */
export async function unmountVolume(context: OperationContext, { volume, mount }: MountedPodVolume, signal: AbortSignal): Promise<void> {
  const { actual } = context;
  const { volumeName } = volume;
  const { podUid, plugin, spec } = mount;
  await tearDown(context, { plugin, podUid, name: specName(spec) }, signal, () =>
    actual.markVolumeMountAsUncertain(factsOf({ volume, mount })),
  );
  actual.markVolumeAsUnmounted(podUid, volumeName);
}

/** Tears down a volume of which only the folder is known. */
export async function tearDown(
  { node }: Pick<OperationContext, 'node'>,
  { plugin, podUid, name }: { plugin: VolumePlugin; podUid: string; name: string },
  signal: AbortSignal,
  onError?: () => void,
): Promise<void> {
  const unmounter = await step('UnmountVolume.NewUnmounter failed', name, () => plugin.unmounter(name, podUid));
  await step('error cleaning subPath mounts', name, () => node.cleanSubPaths(podUid, name, signal));
  await step('UnmountVolume.TearDown failed', name, () => unmounter.tearDown(signal), onError);
}

/** Unmaps a pod's raw block device. */
export async function unmapVolume(context: OperationContext, mounted: MountedPodVolume, signal: AbortSignal): Promise<void> {
  const { actual, node } = context;
  const { volume, mount } = mounted;
  const { podUid, plugin, spec } = mount;
  const name = specName(spec);
  const { block } = plugin;
  if (block === undefined) throw operationError('UnmapVolume.NewUnmapper failed', name, 'the plugin does not support block volumes');
  const unmapper = await step('UnmapVolume.NewUnmapper failed', name, () => block.unmapper(name, podUid));
  actual.markVolumeMountAsUncertain(factsOf(mounted));
  const mapping = blockMapping(volume.deviceMountPath, podUid, unmapper.podDeviceMapPath());
  await step('UnmapVolume.UnmapBlockVolume failed', name, () => node.unmapBlockDevice({ ...mapping, signal }));
  await step('UnmapVolume.UnmapPodDevice failed', name, () => unmapper.unmapPodDevice(signal));
  await step('UnmapVolume.UnmapBlockVolume failed', name, () => node.removeBlockLink(mapping));
  actual.markVolumeAsUnmounted(podUid, volume.volumeName);
}

export const isBlockMount = ({ mount }: MountedPodVolume) => isBlockVolume(mount.spec);

function factsOf({ volume, mount }: MountedPodVolume): PodMountFacts {
  const { podUid, spec, plugin, mounter, mapper, gid } = mount;
  return { podUid, volumeName: volume.volumeName, spec, plugin, gid, ...(mounter && { mounter }), ...(mapper && { mapper }) };
}
