import type { BlockMapping, PodDeviceMapPath } from '@nodeagent/api';
import { podReference, specName } from '@nodeagent/api/helpers';
import type { PodMountFacts } from '../state/actual-state.js';
import type { OperationContext } from './context.js';
import { expandDuringMount } from './expand-volume.js';
import { markDeviceError, markVolumeError } from './mark-errors.js';
import { accessModeProblem, affinityProblem } from './mount-checks.js';
import { type VolumeMountRequest, waitForAttach } from './mount-volume.js';
import { operationError, step } from './operation-error.js';

/** Maps a raw block device for a pod: sets up the device once for all pods, then maps it into this pod. */
export async function mapVolume(context: OperationContext, request: VolumeMountRequest): Promise<void> {
  const { actual, plugins, node, cachedNode, recorder } = context;
  const { wanted, signal } = request;
  const { volumeName, podUid, pod, resolved } = wanted;
  const { spec } = resolved;
  const refuse = (prefix: string, problem: string | undefined) => {
    if (problem !== undefined) throw operationError(prefix, spec, problem);
  };

  const plugin = await step('MapVolume.FindMapperPluginBySpec failed', spec, () => plugins.bySpec(spec));
  const { block } = plugin;
  if (block === undefined)
    throw operationError('MapVolume.FindMapperPluginBySpec failed', spec, 'the plugin does not support block volumes');
  refuse('MapVolume.NodeAffinity check failed', affinityProblem(spec, cachedNode()));
  refuse('MapVolume.SetUpDevice failed', accessModeProblem(spec, actual.isMountedElsewhere(podUid, volumeName)));
  const mapper = await step('MapVolume.NewBlockVolumeMapper initialization failed', spec, () => block.mapper(spec, pod));
  const globalMapPath = await step('MapVolume.GetGlobalMapPath failed', spec, () => mapper.globalMapPath(spec));

  let devicePath = await waitForAttach(request, 'MapVolume');
  if (actual.get(volumeName)?.deviceMountState !== 'DeviceGloballyMounted') {
    await step(
      'MapVolume.SetUpDevice failed',
      spec,
      () => mapper.setUpDevice(signal),
      (error) => {
        if (!signal.aborted) markDeviceError(actual, { volumeName, devicePath, deviceMountPath: globalMapPath }, error);
      },
    );
    actual.setDeviceMountState(volumeName, 'DeviceGloballyMounted', devicePath, globalMapPath);
  }

  const facts: PodMountFacts = { podUid, volumeName, spec, plugin, mapper, gid: wanted.gid };
  const onError = (error: unknown) => {
    if (!signal.aborted) markVolumeError(actual, facts, error);
  };
  const mapped = await step('MapVolume.MapPodDevice failed', spec, () => mapper.mapPodDevice(signal), onError);
  if (mapped !== '') {
    devicePath = mapped;
    actual.setDeviceMountState(volumeName, 'DeviceGloballyMounted', devicePath, globalMapPath);
  }
  refuse('MapVolume failed', devicePath === '' ? 'Device path of the volume is empty' : undefined);
  const mapping = blockMapping(globalMapPath, podUid, mapper.podDeviceMapPath());
  await step('MapVolume.MapBlockVolume failed', spec, () => node.mapBlockDevice({ ...mapping, devicePath, signal }), onError);
  await step(
    'MapVolume.MarkVolumeAsMounted failed while expanding volume',
    spec,
    () => expandDuringMount(context, { wanted, devicePath, deviceMountPath: globalMapPath, deviceStagePath: '', signal }),
    () => actual.markVolumeMountAsUncertain(facts),
  );
  actual.markVolumeAsMounted(facts);

  for (const path of [`globalMapPath "${globalMapPath}"`, `volumeMapPath "${mapping.podPath}"`]) {
    const message = `MapVolume.MapPodDevice succeeded for volume "${specName(spec)}" ${path}`;
    recorder.event(podReference(pod), 'Normal', 'SuccessfulMountVolume', message);
  }
}

export function blockMapping(globalMapPath: string, podUid: string, { path, name }: PodDeviceMapPath): BlockMapping {
  return { globalMapPath, podUid, podPath: path, podLink: name };
}
