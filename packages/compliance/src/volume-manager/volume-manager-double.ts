import { type Clock, NodeAgentError, type Pod, type Timer, type VolumeStats } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { AnyVolumeManager } from './subject.js';

/** The name of the one volume that must be attached. */
export const attachedName = 'example.com/disk';
const periodMs = 500;

/** The node of {@link createTestVolumeManager}: its pods, the terminated ones, and the mounted volumes by `<uid>/<name>`. */
export interface TestVolumeNode {
  pods: Map<string, Pod>;
  ended: Set<string>;
  mounted: Set<string>;
  isFailing: boolean;
}

const volumesOf = (pod: Pod) => pod.spec?.volumes ?? [];
const needsDisk = (pod: Pod) => volumesOf(pod).some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);
const isFull = (pod: Pod) => volumesOf(pod).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === 'full');

/** A volume manager with all capabilities: a loop over the pods of a node. */
export function createTestVolumeManager(node: TestVolumeNode, clock: Pick<Clock, 'setTimeout' | 'sleep'>): Required<AnyVolumeManager> {
  let isRunning = false;
  let timer: Timer | undefined;
  let reported = new Set<string>();
  const live = () => [...node.pods.values()].filter((pod) => !node.ended.has(podUid(pod)));
  const keys = (pod: Pod) => volumesOf(pod).map(({ name }) => `${podUid(pod)}/${name}`);
  const mountedOf = (uid: string) => [...node.mounted].filter((key) => key.startsWith(`${uid}/`));

  const pass = () => {
    if (!isRunning) return;
    for (const pod of live()) {
      if (node.isFailing || (needsDisk(pod) && !reported.has(attachedName))) continue;
      for (const key of keys(pod)) node.mounted.add(key);
    }
    for (const uid of node.ended) for (const key of mountedOf(uid)) node.mounted.delete(key);
  };
  const tick = () => {
    pass();
    timer = clock.setTimeout(tick, periodMs);
  };
  const until = async (isDone: () => boolean, signal: AbortSignal, late: () => Error) => {
    for (let waited = 0; ; waited += periodMs) {
      signal.throwIfAborted();
      pass();
      if (isDone()) return;
      if (waited > 120_000) throw late();
      await clock.sleep(periodMs, signal);
    }
  };
  const late = (pod: Pod) => {
    const names = volumesOf(pod).map(({ name }) => name);
    const text = `unmounted volumes=[${names.join(' ')}], unattached volumes=[], failed to process volumes=[]: context deadline exceeded`;
    return new NodeAgentError(isFull(pod) ? 'VolumeAttachmentLimitExceeded' : 'VolumesNotMounted', text);
  };
  const isMounted = (pod: Pod) => keys(pod).every((key) => node.mounted.has(key));

  return {
    async start() {
      isRunning = true;
      timer ??= clock.setTimeout(tick, periodMs);
    },
    async stop() {
      isRunning = false;
      timer?.cancel();
      timer = undefined;
    },
    podsChanged: pass,
    waitForAttachAndMount: (pod, signal) =>
      until(
        () => !isFull(pod) && isMounted(pod),
        signal,
        () => late(pod),
      ),
    waitForUnmount: (pod, signal) =>
      until(
        () => mountedOf(podUid(pod)).length === 0,
        signal,
        () => late(pod),
      ),
    getMountedVolumesForPod: (uid) =>
      new Map(mountedOf(uid).map((key) => [key.slice(uid.length + 1), { hostPath: `/volumes/${key}`, readOnly: false }])),
    hasPossiblyMountedVolumesForPod: (uid) => mountedOf(uid).length > 0,
    getVolumesInUse: () => (live().some(needsDisk) ? [attachedName] : []),
    markVolumesAsReportedInUse(names) {
      reported = new Set(names);
    },
    reconcilerStatesHasBeenSynced: () => true,
    getExtraSupplementalGroupsForPod: (pod) => (needsDisk(pod) && isMounted(pod) ? [4321] : []),
    async volumeStats(pod, signal) {
      await clock.sleep(10, signal);
      const stats = (persistent: boolean): VolumeStats[] =>
        volumesOf(pod)
          .filter(({ name, persistentVolumeClaim }) => name !== 'broken' && persistent === (persistentVolumeClaim !== undefined))
          .map(({ name }) => ({ name, time: '2026-01-01T00:00:00Z', usedBytes: 5n }));
      return { ephemeral: stats(false), persistent: stats(true) };
    },
  };
}
