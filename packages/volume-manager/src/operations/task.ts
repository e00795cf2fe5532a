import type { Pod, VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { isBlockVolume } from '@nodeagent/api/helpers';
import type { VolumeMetrics } from '../metrics.js';
import type { VolumeOperation } from '../reconciler/plan.js';
import type { AttachedVolume, MountedPodVolume } from '../state/actual-state.js';
import type { VolumeToMount } from '../state/desired-state.js';
import { attachVolume, detachVolume, requireInNodeStatus, verifyAttached } from './attach-volume.js';
import type { OperationContext } from './context.js';
import { expandInUse } from './expand-volume.js';
import { mapVolume } from './map-volume.js';
import { mountVolume } from './mount-volume.js';
import { unmapDevice, unmountDevice } from './unmount-device.js';
import { isBlockMount, unmapVolume, unmountVolume } from './unmount-volume.js';

/** An operation with the facts for metrics and events. */
export interface Task {
  /** The operation's name in metrics. */
  name: string;
  volumeName: string;
  /** Empty if the operation concerns the device that all pods share. */
  podUid: string;
  plugin: VolumePlugin;
  spec: VolumeSpec;
  /** The pod whose folder the operation changes. */
  worksFor?: string;
  /** The pod that gets an event if the operation fails, and the event's reason. */
  event?: { pod: Pod; reason: string };
  /** Throws if the operation must not start. */
  precondition?(): void;
  run(signal: AbortSignal): Promise<void>;
}

type OperationOf<Type extends VolumeOperation['type']> = Extract<VolumeOperation, { type: Type }>;

/** An operation that takes time. */
type Executable = Exclude<VolumeOperation, { type: 'MarkVolumeAsDetached' }>;

/** The operation with the kubelet's name and key: an operation on a shared device has one key, unmounting has one for each pod. */
export function taskOf(context: OperationContext, operation: Executable, metrics: VolumeMetrics): Task {
  switch (operation.type) {
    case 'UnmountVolume':
      return unmountTask(context, operation.mounted);
    case 'MountVolume':
      return mountTask(context, operation, metrics);
    case 'VerifyControllerAttachedVolume':
      return {
        ...deviceOf(operation.wanted),
        name: 'verify_controller_attached_volume',
        precondition: () => requireInNodeStatus(context, operation.wanted),
        run: (signal) => verifyAttached(context, operation.wanted, signal),
      };
    case 'AttachVolume':
      return {
        ...deviceOf(operation.wanted),
        name: 'volume_attach',
        event: { pod: operation.wanted.pod, reason: 'FailedAttachVolume' },
        run: (signal) => attachVolume(context, operation.wanted, signal),
      };
    case 'ExpandInUseVolume':
      return expandTask(context, operation.wanted);
    case 'DetachVolume':
      return {
        ...attachedDevice(operation.volume),
        name: 'volume_detach',
        run: (signal) => detachVolume(context, operation.volume, signal),
      };
    case 'UnmountDevice':
      return unmountDeviceTask(context, operation.volume);
  }
}

function unmountTask(context: OperationContext, mounted: MountedPodVolume): Task {
  const { volume, mount } = mounted;
  const isBlock = isBlockMount(mounted);
  return {
    name: isBlock ? 'unmap_volume' : 'volume_unmount',
    volumeName: volume.volumeName,
    podUid: mount.podUid,
    plugin: mount.plugin,
    spec: mount.spec,
    run: (signal) => (isBlock ? unmapVolume(context, mounted, signal) : unmountVolume(context, mounted, signal)),
  };
}

function mountTask(context: OperationContext, operation: OperationOf<'MountVolume'>, metrics: VolumeMetrics): Task {
  const { wanted, devicePath, isRemount } = operation;
  const { spec, plugin } = wanted.resolved;
  const isBlock = isBlockVolume(spec);
  return {
    ...deviceOf(wanted),
    podUid: wanted.attachable || wanted.deviceMountable ? '' : wanted.podUid,
    name: isBlock ? 'map_volume' : 'volume_mount',
    worksFor: wanted.podUid,
    event: { pod: wanted.pod, reason: isBlock ? 'FailedMapVolume' : 'FailedMount' },
    async run(signal) {
      await (isBlock ? mapVolume : mountVolume)(context, { wanted, devicePath, isRemount, signal });
      metrics.total(plugin, spec, 'overall_volume_mount', (context.clock.monotonic() - wanted.requestedAt) / 1000);
    },
  };
}

function expandTask(context: OperationContext, wanted: VolumeToMount): Task {
  const volume = context.actual.get(wanted.volumeName);
  const mount = context.actual.podMount(wanted.podUid, wanted.volumeName);
  const deviceStagePath = volume?.deviceMountPath ?? '';
  const paths = { devicePath: volume?.devicePath ?? '', deviceMountPath: mount?.mounter?.path ?? deviceStagePath, deviceStagePath };
  return {
    ...deviceOf(wanted),
    name: 'volume_fs_resize',
    event: { pod: wanted.pod, reason: 'VolumeResizeFailed' },
    run: (signal) => expandInUse(context, { wanted, ...paths, signal }),
  };
}

function unmountDeviceTask(context: OperationContext, volume: AttachedVolume): Task {
  const isBlock = isBlockVolume(volume.spec);
  return {
    ...attachedDevice(volume),
    name: isBlock ? 'unmap_device' : 'unmount_device',
    run: (signal) => (isBlock ? unmapDevice : unmountDevice)(context, volume, signal),
  };
}

const deviceOf = ({ volumeName, resolved: { plugin, spec } }: VolumeToMount) => ({ volumeName, podUid: '', plugin, spec });

const attachedDevice = ({ volumeName, plugin, spec }: AttachedVolume) => ({ volumeName, podUid: '', plugin, spec });
