import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { expectedVolumes } from '../state/pod-volumes.js';
import type { VolumeStates } from '../state/queries.js';
import type { Waiters } from './waiters.js';

/** How to wait for a pod's volumes. */
export interface VolumeWait {
  waiters: Pick<Waiters, 'wait'>;
  timeoutMs: number;
  /** Ends the wait, which then rejects with its reason. */
  signal: AbortSignal;
}

/** The kubelet's text of a wait that takes too long. */
const outOfTime = 'context deadline exceeded';

/** Waits until the pod's volumes are mounted, one of them fails, or the timeout. Resolves to the kubelet's message if one is not mounted. */
export async function waitUntilMounted(
  states: VolumeStates,
  pod: Pod,
  { waiters, timeoutMs, signal }: VolumeWait,
): Promise<string | undefined> {
  const uid = podUid(pod);
  const expected = expectedVolumes(pod);
  if (expected.length === 0) return undefined;
  const failure = await waiters.wait(() => mountProgress(states, uid, expected), timeoutMs, outOfTime, signal);
  return failure === undefined ? undefined : describeUnmounted(states, uid, expected, failure);
}

/** As {@link waitUntilMounted}, until no volume of a terminated pod is mounted. */
export async function waitUntilUnmounted(
  states: VolumeStates,
  pod: Pod,
  { waiters, timeoutMs, signal }: VolumeWait,
): Promise<string | undefined> {
  const uid = podUid(pod);
  const progress = () => reportedFailure(states, uid) ?? { done: stillMountedVolumes(states, uid).length === 0 };
  const failure = await waiters.wait(progress, timeoutMs, outOfTime, signal);
  return failure === undefined ? undefined : describeMounted(states, uid, failure);
}

/** The expected volumes of a pod that are not mounted, sorted. */
function unmountedVolumes({ desired, actual }: VolumeStates, podUid: string, expected: readonly string[]): string[] {
  const names = desired.volumeNamesOfPod(podUid);
  return expected.filter((name) => {
    const volumeName = names.get(name);
    return volumeName === undefined || actual.mountState(podUid, volumeName) !== 'VolumeMounted';
  });
}

/** Whether the pod's volumes are mounted; `failure` if one of them failed, reported once. */
function mountProgress(states: VolumeStates, podUid: string, expected: readonly string[]): { done: boolean; failure?: string } {
  return reportedFailure(states, podUid) ?? { done: unmountedVolumes(states, podUid, expected).length === 0 };
}

/** Ends a wait if a volume of the pod failed. */
function reportedFailure({ desired }: VolumeStates, podUid: string): { done: true; failure: string } | undefined {
  const errors = desired.popPodErrors(podUid);
  return errors.length > 0 ? { done: true, failure: errors.join('; ') } : undefined;
}

/** The kubelet's message about a pod's volumes that are not mounted; undefined if all are mounted. */
function describeUnmounted(states: VolumeStates, podUid: string, expected: readonly string[], failure: string): string | undefined {
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
function stillMountedVolumes({ actual }: Pick<VolumeStates, 'actual'>, podUid: string): string[] {
  return actual
    .possiblyMountedOfPod(podUid)
    .filter(({ mount }) => mount.state === 'VolumeMounted')
    .map(({ volume }) => volume.volumeName)
    .sort();
}

/** The kubelet's message about a terminated pod's mounted volumes; undefined if there are none. */
function describeMounted(states: Pick<VolumeStates, 'actual'>, podUid: string, failure: string): string | undefined {
  const mounted = stillMountedVolumes(states, podUid);
  return mounted.length === 0 ? undefined : `mounted volumes=[${mounted.join(' ')}]: ${failure}`;
}
