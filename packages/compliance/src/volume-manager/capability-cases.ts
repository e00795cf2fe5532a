import assert from 'node:assert/strict';
import { podUid } from '@nodeagent/api/helpers';
import { settled } from '../support/waiting.js';
import { failureOf, type VolumeSession, volumeCase } from './session.js';

/** A property of the subject that a capability requires. */
function brought<K extends 'attachable' | 'grouped' | 'measurable'>(session: VolumeSession, key: K): NonNullable<VolumeSession[K]> {
  return session[key] ?? assert.fail(`the subject has no ${key}: leave out the capability that needs it`);
}

/** The promises of the capabilities of a `VolumeManager`. */
export const capabilityCases = [
  volumeCase(
    'mounts and unmounts as pods are added and terminated, without waiting callers',
    async ({ pod, add, end, mountedNames, eventually }) => {
      const web = pod('web', ['data']);
      await add(web);
      await eventually('the volume is mounted', () => mountedNames('web').length === 1);
      await end(web);
      await eventually('the volume is unmounted', () => mountedNames('web').length === 0);
    },
    'ReconcilingVolumeManager',
  ),

  volumeCase(
    'start and stop are idempotent, and a stopped manager mounts nothing',
    async ({ pod, add, start, stop, mountedNames, advance }) => {
      await start();
      await stop();
      await stop();
      await add(pod('web', ['data']));
      await advance(10_000);
      assert.deepEqual(mountedNames('web'), []);
    },
    'ReconcilingVolumeManager',
  ),

  volumeCase(
    'accepts notifications of changed pods at any time',
    async ({ manager, stop }) => {
      assert.equal(manager.podsChanged?.(), undefined);
      await stop();
      assert.equal(manager.podsChanged?.(), undefined);
    },
    'ReconcilingVolumeManager',
  ),

  volumeCase(
    'lists each attachable volume in use once, until its pod has terminated',
    async (session) => {
      const { manager, add, end, waitForMount, waitForUnmount, eventually } = session;
      const { pod, volumeName } = brought(session, 'attachable');
      assert.deepEqual(manager.getVolumesInUse?.(), []);
      await add(pod);
      await eventually('the volume is in use', () => manager.getVolumesInUse?.().join() === volumeName);
      await waitForMount(pod);
      assert.deepEqual(manager.getVolumesInUse?.(), [volumeName]);
      await end(pod);
      await waitForUnmount(pod);
      await eventually('the volume is not in use', () => manager.getVolumesInUse?.().length === 0);
    },
    'AttachingVolumeManager',
  ),

  volumeCase(
    'mounts an attachable volume only once the node has reported it in use',
    async (session) => {
      const { manager, add, mountedNames, advance, eventually } = session;
      const { pod, volumeName } = brought(session, 'attachable');
      const isMounted = () => mountedNames(podUid(pod)).length > 0;
      await add(pod);
      await advance(10_000);
      assert.equal(isMounted(), false, 'before the report');
      manager.markVolumesAsReportedInUse?.([`another/${volumeName}`]);
      await advance(10_000);
      assert.equal(isMounted(), false, 'after a report without it');
      manager.markVolumesAsReportedInUse?.([volumeName]);
      await eventually('the volume is mounted', isMounted);
    },
    'AttachingVolumeManager',
  ),

  volumeCase(
    'has no recovery pending without volumes of a previous run',
    async ({ manager, eventually }) => {
      await eventually('reconcilerStatesHasBeenSynced', () => manager.reconcilerStatesHasBeenSynced?.() === true);
    },
    'AttachingVolumeManager',
  ),

  volumeCase(
    'returns the groups of mounted volumes that the pod does not have',
    async (session) => {
      const { manager, mount, unmount } = session;
      const { pod, extraGroups } = brought(session, 'grouped');
      assert.deepEqual(manager.getExtraSupplementalGroupsForPod?.(pod), []);
      await mount(pod);
      assert.deepEqual(manager.getExtraSupplementalGroupsForPod?.(pod), [...extraGroups]);
      await unmount(pod);
      assert.deepEqual(manager.getExtraSupplementalGroupsForPod?.(pod), []);
    },
    'GroupingVolumeManager',
  ),

  volumeCase(
    'measures volumes in the order of the pod, and skips those that cannot be measured',
    async (session) => {
      const { manager, mount, advance, waitsWithinMs } = session;
      const { pod, ephemeral, persistent } = brought(session, 'measurable');
      await mount(pod);
      const measuring = manager.volumeStats?.(pod, new AbortController().signal);
      const stats = await settled(advance, 'volumeStats', measuring ?? assert.fail('no volumeStats'), waitsWithinMs);
      assert.deepEqual(
        [stats.ephemeral.map(({ name }) => name), stats.persistent.map(({ name }) => name)],
        [[...ephemeral], [...persistent]],
      );
      for (const { name, usedBytes } of [...stats.ephemeral, ...stats.persistent]) assert.equal(typeof usedBytes, 'bigint', name);
    },
    'VolumeStatsSource',
  ),

  volumeCase(
    'rejects a measurement with the reason of an aborted signal',
    async (session) => {
      const { manager, mount, advance, waitsWithinMs } = session;
      const { pod } = brought(session, 'measurable');
      await mount(pod);
      const reason = new Error('given up');
      const rejected = async (measuring: Promise<unknown> | undefined) =>
        failureOf('volumeStats', settled(advance, 'volumeStats', measuring ?? Promise.resolve(), waitsWithinMs));
      assert.equal(await rejected(manager.volumeStats?.(pod, AbortSignal.abort(reason))), reason);
      const controller = new AbortController();
      const measuring = manager.volumeStats?.(pod, controller.signal);
      controller.abort(reason);
      assert.equal(await rejected(measuring), reason);
    },
    'VolumeStatsSource',
  ),
];
