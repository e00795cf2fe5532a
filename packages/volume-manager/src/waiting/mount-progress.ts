import type { Worlds } from '../world/queries.js';

/** Which of the volumes that a pod expects are not mounted, sorted. */
function unmountedVolumes({ desired, actual }: Worlds, podUid: string, expected: readonly string[]): string[] {
  const names = desired.volumeNamesOfPod(podUid);
  return expected.filter((name) => {
    const volumeName = names.get(name);
    return volumeName === undefined || actual.mountState(podUid, volumeName) !== 'VolumeMounted';
  });
}

/** Whether the pod's volumes are mounted; `failure` if one of them cannot be, which is told once. */
export function mountProgress(worlds: Worlds, podUid: string, expected: readonly string[]): { done: boolean; failure?: string } {
  const errors = worlds.desired.popPodErrors(podUid);
  if (errors.length > 0) return { done: true, failure: errors.join('; ') };
  return { done: unmountedVolumes(worlds, podUid, expected).length === 0 };
}

/** Why a pod's volumes are not mounted, in the kubelet's words; undefined if all of them are after all. */
export function describeUnmounted(worlds: Worlds, podUid: string, expected: readonly string[], failure: string): string | undefined {
  const unmounted = unmountedVolumes(worlds, podUid, expected);
  if (unmounted.length === 0) return undefined;
  const names = worlds.desired.volumeNamesOfPod(podUid);
  const unprocessed = expected.filter((name) => !names.has(name));
  return (
    `unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[${unattachedVolumes(worlds, podUid).join(' ')}], ` +
    `failed to process volumes=[${unprocessed.join(' ')}]: ${failure}`
  );
}

/** The pod's names of volumes that wait to be attached, sorted. */
function unattachedVolumes({ desired, actual }: Worlds, podUid: string): string[] {
  const unattached = [...desired.volumeNamesOfPod(podUid)].filter(
    ([, volumeName]) => desired.volumeToMount(podUid, volumeName)?.attachable && actual.get(volumeName) === undefined,
  );
  return unattached.map(([outerName]) => outerName).sort();
}

/** Unique names of the pod's volumes that are certainly mounted, sorted: an ended pod waits for these. */
export function stillMountedVolumes({ actual }: Pick<Worlds, 'actual'>, podUid: string): string[] {
  return actual
    .possiblyMountedOfPod(podUid)
    .filter(({ mount }) => mount.state === 'VolumeMounted')
    .map(({ volume }) => volume.volumeName)
    .sort();
}

/** Why an ended pod still has volumes, in the kubelet's words; undefined if it has none after all. */
export function describeMounted(worlds: Pick<Worlds, 'actual'>, podUid: string, failure: string): string | undefined {
  const mounted = stillMountedVolumes(worlds, podUid);
  return mounted.length === 0 ? undefined : `mounted volumes=[${mounted.join(' ')}]: ${failure}`;
}
