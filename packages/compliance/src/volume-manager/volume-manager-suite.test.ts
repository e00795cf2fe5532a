import type { MountedVolume, Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { failedCases } from '../support/test-failed-cases.js';
import type { AnyVolumeManager } from './subject.js';
import { tinyVolumeSubject } from './test-volume-manager.js';
import type { TestVolumeNode } from './volume-manager-double.js';
import { volumeManagerSuite } from './volume-manager-suite.js';

const capabilities = ['ReconcilingVolumeManager', 'AttachingVolumeManager', 'GroupingVolumeManager', 'VolumeStatsSource'];

describe('a third-party volume manager keeps the promises of a', () => {
  defineSuite({ describe, it }, volumeManagerSuite, () => tinyVolumeSubject());
});

describe('a volume manager that has only its contract keeps the promises of a', () => {
  const mounted = new Map<string, Map<string, MountedVolume>>();
  const manager: AnyVolumeManager = {
    async waitForAttachAndMount(pod: Pod, signal) {
      signal.throwIfAborted();
      const uid = podUid(pod);
      const volumes = (pod.spec?.volumes ?? []).map(({ name }) => [name, { hostPath: `/v/${uid}/${name}`, readOnly: false }] as const);
      mounted.set(uid, new Map(volumes));
    },
    async waitForUnmount(pod, signal) {
      signal.throwIfAborted();
      mounted.delete(podUid(pod));
    },
    getMountedVolumesForPod: (uid) => structuredClone(mounted.get(uid) ?? new Map()),
    hasPossiblyMountedVolumesForPod: (uid) => (mounted.get(uid)?.size ?? 0) > 0,
  };
  const without = [...capabilities, 'attachmentLimit', 'failures', 'restart'];
  const factory = () => {
    const { subject } = tinyVolumeSubject();
    mounted.clear();
    return { subject: { ...subject, manager, mounted: (uid: string) => [...(mounted.get(uid)?.keys() ?? [])] } };
  };
  defineSuite({ describe, it }, volumeManagerSuite, factory, { without });
});

describe('the volume manager suite', () => {
  type Change = (manager: Required<AnyVolumeManager>, node: TestVolumeNode) => Partial<AnyVolumeManager>;

  it.each<[string, Change, RegExp]>([
    [
      'does not wait',
      () => ({ waitForAttachAndMount: async () => {}, podsChanged: () => {}, start: async () => {} }),
      /until every volume of the pod is mounted/,
    ],
    [
      'does not wait for the unmount',
      () => ({ waitForUnmount: async () => {}, podsChanged: () => {} }),
      /waits until no volume of a terminated pod is mounted/,
    ],
    [
      'has every volume of the node for each pod',
      (manager, node) => ({
        getMountedVolumesForPod: () => new Map([...node.pods.keys()].flatMap((uid) => [...manager.getMountedVolumesForPod(uid)])),
      }),
      /keeps the volumes of one pod while those of another are unmounted/,
    ],
    [
      'hands out its own entries',
      (manager) => {
        const own = new Map<string, MountedVolume>();
        return {
          getMountedVolumesForPod(uid) {
            const mounted = manager.getMountedVolumesForPod(uid);
            for (const [name, volume] of mounted) if (!own.has(name)) own.set(name, volume);
            return new Map([...mounted].map(([name, volume]) => [name, own.get(name) ?? volume]));
          },
        };
      },
      /returns a copy of the mounted volumes/,
    ],
    [
      'ignores signals',
      (m) => ({ waitForUnmount: (pod) => m.waitForUnmount(pod, new AbortController().signal) }),
      /reason of an aborted signal/,
    ],
    [
      'rejects in its own words',
      (m) => ({ waitForAttachAndMount: (pod, s) => m.waitForAttachAndMount(pod, s).catch(() => Promise.reject(new Error('late'))) }),
      /kubelet's text/,
    ],
    [
      'forgets over a restart',
      () => ({ hasPossiblyMountedVolumesForPod: () => false }),
      /reports after a restart that volumes may be mounted/,
    ],
    [
      'mounts only while one waits',
      () => ({ podsChanged: () => {}, start: async () => {} }),
      /mounts and unmounts as pods are added and terminated, without waiting callers/,
    ],
    [
      'names a volume in use twice',
      (m) => ({ getVolumesInUse: () => m.getVolumesInUse().flatMap((name) => [name, name]) }),
      /lists each attachable volume in use once, until its pod has terminated/,
    ],
    [
      'takes any report for its own',
      (m) => ({ markVolumesAsReportedInUse: () => m.markVolumesAsReportedInUse(['example.com/disk']) }),
      /only once/,
    ],
    [
      'gives groups of volumes that are not mounted',
      () => ({ getExtraSupplementalGroupsForPod: () => [4321] }),
      /returns the groups of mounted volumes that the pod does not have/,
    ],
    ['measures in another order', (m) => ({ volumeStats: async (...c) => reversed(await m.volumeStats(...c)) }), /in the order of the pod/],
  ])('notices a manager that %s', async (_, change, promise) => {
    const failed = await failedCases(volumeManagerSuite, () => tinyVolumeSubject(change));
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });

  it('skips the cases of capabilities that a manager does not have', async () => {
    const change = () => ({ podsChanged: undefined, getVolumesInUse: undefined, volumeStats: undefined }) as never;
    const failed = await failedCases(volumeManagerSuite, () => tinyVolumeSubject(change), { without: capabilities });
    expect(failed).toEqual([]);
  });
});

const reversed = <T>({ ephemeral, persistent }: { ephemeral: readonly T[]; persistent: readonly T[] }) => ({
  ephemeral: [...ephemeral].reverse(),
  persistent,
});
