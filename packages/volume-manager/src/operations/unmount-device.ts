import { specName } from '@nodeagent/api/helpers';
import type { AttachedVolume } from '../state/actual-state.js';
import type { OperationContext } from './context.js';
import { operationError, step } from './operation-error.js';

const inUse = 'the device is in use when it was no longer expected to be in use';

/** Unmounts a device that no pod uses any more. */
export async function unmountDevice({ actual, node }: OperationContext, volume: AttachedVolume, signal: AbortSignal): Promise<void> {
  const { volumeName, plugin, spec, devicePath } = volume;
  const { deviceMountable } = plugin;
  if (deviceMountable === undefined)
    throw operationError('UnmountDevice.NewDeviceUnmounter failed', spec, 'the plugin does not support mounting devices');
  const path = volume.deviceMountPath || deviceMountable.deviceMounter().deviceMountPath(spec);
  const uncertain = () => actual.setDeviceMountState(volumeName, 'DeviceMountUncertain', devicePath, path);

  const refs = await step('GetDeviceMountRefs check failed', spec, () => node.mountRefs(path));
  if (refs.length > 0) {
    const problem = `the device mount path "${path}" is still mounted by other references [${refs.join(' ')}]`;
    throw operationError('GetDeviceMountRefs check failed', spec, problem);
  }
  await step('UnmountDevice failed', spec, () => deviceMountable.deviceUnmounter().unmountDevice(path, signal), uncertain);
  if (devicePath !== '' && (await step('UnmountDevice.DeviceOpened failed', spec, () => node.isDeviceOpen(devicePath)))) {
    uncertain();
    throw operationError('UnmountDevice failed', spec, inUse);
  }
  actual.setDeviceMountState(volumeName, 'DeviceNotMounted', '', '');
}

/** Tears down a raw block device that no pod uses any more. */
export async function unmapDevice({ actual, node }: OperationContext, volume: AttachedVolume, signal: AbortSignal): Promise<void> {
  const { volumeName, plugin, spec, devicePath, deviceMountPath } = volume;
  const { block } = plugin;
  if (block === undefined) throw operationError('UnmapDevice.NewUnmapper failed', spec, 'the plugin does not support block volumes');
  const refs = await step('UnmapDevice.GetDeviceBindMountRefs check failed', spec, () => node.blockRefs(deviceMountPath));
  if (refs.length > 0) {
    const problem = `the device "${deviceMountPath}" is still referenced from other Pods [${refs.join(' ')}]`;
    throw operationError('UnmapDevice failed', spec, problem);
  }
  actual.setDeviceMountState(volumeName, 'DeviceMountUncertain', devicePath, deviceMountPath);
  const unmapper = await step('UnmapDevice.NewUnmapper failed', spec, () => block.unmapper(specName(spec), ''));
  await step('UnmapDevice.TearDownDevice failed', spec, () => unmapper.tearDownDevice(deviceMountPath, devicePath, signal));
  await step('UnmapDevice.RemoveMapPath failed', spec, () => node.removeMapPath(deviceMountPath, signal));
  if (devicePath !== '' && (await step('UnmapDevice.DeviceOpened failed', spec, () => node.isDeviceOpen(devicePath))))
    throw operationError('UnmapDevice failed', spec, inUse);
  actual.setDeviceMountState(volumeName, 'DeviceNotMounted', '', '');
}
