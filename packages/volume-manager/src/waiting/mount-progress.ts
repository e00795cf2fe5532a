import type { VolumeStates } from '../state/queries.js';

/** The expected volumes of a pod that are not mounted, sorted. */
function unmountedVolumes({ desired, actual }: VolumeStates, podUid: string, expected: readonly string[]): string[] {
  const names = desired.volumeNamesOfPod(podUid);
  return expected.filter((name) => {
    const volumeName = names.get(name);
    return volumeName === undefined || actual.mountState(podUid, volumeName) !== 'VolumeMounted';
  });
}

/** Whether the pod's volumes are mounted; `failure` if one of them failed, reported once. */
export function mountProgress(states: VolumeStates, podUid: string, expected: readonly string[]): { done: boolean; failure?: string } {
  const errors = states.desired.popPodErrors(podUid);
  if (errors.length > 0) return { done: true, failure: errors.join('; ') };
  return { done: unmountedVolumes(states, podUid, expected).length === 0 };
}

/** The kubelet's message about a pod's volumes that are not mounted; undefined if all are mounted. */
export function describeUnmounted(states: VolumeStates, podUid: string, expected: readonly string[], failure: string): string | undefined {
  const unmounted = unmountedVolumes(states, podUid, expected);
  if (unmounted.length === 0) return undefined;
  const names = states.desired.volumeNamesOfPod(podUid);
  const unprocessed = expected.filter((name) => !names.has(name));
  return (
    `unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[${unattachedVolumes(states, podUid).join(' ')}], ` +
    `failed to process volumes=[${unprocessed.join(' ')}]: ${failure}`
  );
}

/** Names in the pod of the volumes that are not attached, sorted. */
function unattachedVolumes({ desired, actual }: VolumeStates, podUid: string): string[] {
  const unattached = [...desired.volumeNamesOfPod(podUid)].filter(
    ([, volumeName]) => desired.volumeToMount(podUid, volumeName)?.attachable && actual.get(volumeName) === undefined,
  );
  return unattached.map(([outerName]) => outerName).sort();
}

/** Unique names of the pod's volumes that are certainly mounted, sorted: a terminated pod waits for these. */
export function stillMountedVolumes({ actual }: Pick<VolumeStates, 'actual'>, podUid: string): string[] {
  return actual
    .possiblyMountedOfPod(podUid)
    .filter(({ mount }) => mount.state === 'VolumeMounted')
    .map(({ volume }) => volume.volumeName)
    .sort();
}

/** The kubelet's message about a terminated pod's mounted volumes; undefined if there are none. */
export function describeMounted(states: Pick<VolumeStates, 'actual'>, podUid: string, failure: string): string | undefined {
  const mounted = stillMountedVolumes(states, podUid);
  return mounted.length === 0 ? undefined : `mounted volumes=[${mounted.join(' ')}]: ${failure}`;
}
