import { fileOwners } from '@nodeagent/api/helpers';
import type { ActualState, PodMountFacts } from '../state/actual-state.js';
import type { VolumeToMount } from '../state/desired-state.js';
import type { OperationContext } from './context.js';
import { expandDuringMount } from './expand-volume.js';
import { markDeviceError, markVolumeError } from './mark-errors.js';
import { accessModeProblem, affinityProblem, mountOptionsProblem } from './mount-checks.js';
import { operationError, step } from './operation-error.js';

/** A volume to mount for a pod. */
export interface VolumeMountRequest {
  wanted: VolumeToMount;
  /** From attaching; may be empty. */
  devicePath: string;
  isRemount: boolean;
  signal: AbortSignal;
}

/** Mounts a file system for a pod: waits for the device, mounts it once for all pods, then for this pod, and expands it if needed. */
export async function mountVolume(context: OperationContext, request: VolumeMountRequest): Promise<void> {
  const { actual, plugins, cachedNode } = context;
  const { wanted, isRemount, signal } = request;
  const { volumeName, podUid, pod, resolved } = wanted;
  const { spec } = resolved;
  const refuse = (prefix: string, problem: string | undefined) => {
    if (problem !== undefined) throw operationError(prefix, spec, problem);
  };

  const plugin = await step('MountVolume.FindPluginBySpec failed', spec, () => plugins.bySpec(spec));
  refuse('MountVolume.NodeAffinity check failed', affinityProblem(spec, cachedNode()));
  const mounter = await step('MountVolume.NewMounter initialization failed', spec, () => plugin.mounter(spec, pod));
  refuse('MountVolume.MountOptionSupport check failed', mountOptionsProblem(spec, plugin));
  refuse('MountVolume.SetUp failed', accessModeProblem(spec, actual.isMountedElsewhere(podUid, volumeName)));

  const devicePath = await waitForAttach(request, 'MountVolume');
  actual.initializeSELinuxLabel(volumeName, wanted.seLinuxLabel);
  const deviceStagePath = await mountDevice(actual, request, devicePath);

  const facts: PodMountFacts = { podUid, volumeName, spec, plugin, mounter, gid: wanted.gid };
  const setUp = () =>
    mounter.setUp({
      ...fileOwners(pod),
      isRemount,
      reconstructed: actual.isReconstructed(podUid, volumeName),
      signal,
      ...label(wanted),
      ...(wanted.sizeLimit !== undefined && { desiredSize: wanted.sizeLimit }),
    });
  await step('MountVolume.SetUp failed', spec, setUp, (error) => {
    if (!signal.aborted) markVolumeError(actual, facts, error);
  });
  await step(
    'MountVolume.Setup failed while expanding volume',
    spec,
    () => expandDuringMount(context, { wanted, devicePath, deviceMountPath: mounter.path, deviceStagePath, signal }),
    // The volume is mounted, but the pod must not use it yet.
    () => actual.markVolumeMountAsUncertain(facts),
  );
  actual.markVolumeAsMounted(facts);
}

/** Waits until the volume is attached; resolves to its device path. For a volume that is not attachable, the known path. */
export async function waitForAttach({ wanted, devicePath, signal }: VolumeMountRequest, operation: string): Promise<string> {
  const { resolved, pod, attachable } = wanted;
  const { spec, plugin } = resolved;
  if (!attachable || plugin.attachable === undefined) return devicePath;
  const attacher = plugin.attachable.attacher();
  return step(`${operation}.WaitForAttach failed`, spec, () => attacher.waitForAttach(spec, devicePath, pod, signal));
}

/** Mounts the device globally; resolves to the mount path, or to an empty string if the plugin mounts no devices. */
async function mountDevice(actual: ActualState, { wanted, signal }: VolumeMountRequest, devicePath: string): Promise<string> {
  const { volumeName, pod, resolved, deviceMountable } = wanted;
  const { spec, plugin } = resolved;
  if (!deviceMountable || plugin.deviceMountable === undefined) return '';
  const mounter = plugin.deviceMountable.deviceMounter();
  const deviceMountPath = await step('MountVolume.GetDeviceMountPath failed', spec, () => mounter.deviceMountPath(spec));
  if (actual.get(volumeName)?.deviceMountState === 'DeviceGloballyMounted') return deviceMountPath;
  const { fsGroup } = pod.spec?.securityContext ?? {};
  await step(
    'MountVolume.MountDevice failed',
    spec,
    () => mounter.mountDevice(spec, devicePath, deviceMountPath, { signal, ...label(wanted), ...(fsGroup !== undefined && { fsGroup }) }),
    (error) => {
      if (!signal.aborted) markDeviceError(actual, { volumeName, devicePath, deviceMountPath }, error);
    },
  );
  actual.setDeviceMountState(volumeName, 'DeviceGloballyMounted', devicePath, deviceMountPath);
  return deviceMountPath;
}

const label = ({ seLinuxLabel }: VolumeToMount) => (seLinuxLabel === '' ? {} : { seLinuxLabel });
