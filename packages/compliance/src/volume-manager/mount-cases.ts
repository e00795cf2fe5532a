import assert from 'node:assert/strict';
import { isAbsolute } from 'node:path';
import { errorCode, errorMessage, type MountedVolume } from '@nodeagent/api';
import { settled } from '../support/waiting.js';
import { failureOf, volumeCase } from './session.js';

/** The promises of `VolumeManager` of `@nodeagent/api`. */
export const mountCases = [
  volumeCase('waits until every volume of the pod is mounted', async ({ pod, mount, volumesOf, mountedNames, manager }) => {
    const web = pod('web', ['data', 'cache']);
    await mount(web);
    assert.deepEqual(mountedNames('web'), ['cache', 'data']);
    const volumes = volumesOf('web');
    assert.deepEqual([...volumes.keys()].sort(), ['cache', 'data']);
    for (const [name, { hostPath, readOnly }] of volumes) {
      assert.ok(isAbsolute(hostPath), `${name}: ${hostPath}`);
      assert.equal(typeof readOnly, 'boolean');
    }
    assert.equal(manager.hasPossiblyMountedVolumesForPod('web'), true);
  }),

  volumeCase('does not wait if the pod has no volumes', async ({ pod, mount, unmount, volumesOf, manager }) => {
    const web = pod('web', []);
    await mount(web);
    assert.equal(volumesOf('web').size, 0);
    assert.equal(manager.hasPossiblyMountedVolumesForPod('web'), false);
    await unmount(web);
  }),

  volumeCase('mounts a volume once for several waiting callers', async ({ pod, mount, waitForMount, mountedNames, volumesOf }) => {
    const web = pod('web', ['data']);
    await mount(web);
    const before = volumesOf('web').get('data')?.hostPath;
    await waitForMount(web);
    await Promise.all([waitForMount(web), waitForMount(web)]);
    assert.deepEqual(mountedNames('web'), ['data']);
    assert.equal(volumesOf('web').get('data')?.hostPath, before);
  }),

  volumeCase('waits until no volume of a terminated pod is mounted', async ({ pod, mount, unmount, volumesOf, mountedNames, manager }) => {
    const web = pod('web', ['data', 'cache']);
    await mount(web);
    await unmount(web);
    assert.deepEqual(mountedNames('web'), []);
    assert.equal(volumesOf('web').size, 0);
    assert.equal(manager.hasPossiblyMountedVolumesForPod('web'), false);
  }),

  volumeCase('the wait for the unmount can be repeated', async ({ pod, mount, unmount, waitForUnmount }) => {
    const web = pod('web', ['data']);
    await mount(web);
    await unmount(web);
    await waitForUnmount(web);
  }),

  volumeCase(
    'keeps the volumes of one pod while those of another are unmounted',
    async ({ pod, mount, unmount, mountedNames, volumesOf }) => {
      const [web, db] = [pod('web', ['data']), pod('db', ['data'])];
      await Promise.all([mount(web), mount(db)]);
      assert.notEqual(volumesOf('web').get('data')?.hostPath, volumesOf('db').get('data')?.hostPath);
      await unmount(web);
      assert.deepEqual([mountedNames('web'), mountedNames('db')], [[], ['data']]);
      assert.deepEqual([...volumesOf('db').keys()], ['data']);
    },
  ),

  volumeCase('returns no volumes for an unknown pod', async ({ manager, volumesOf }) => {
    assert.equal(volumesOf('unknown').size, 0);
    assert.equal(manager.hasPossiblyMountedVolumesForPod('unknown'), false);
  }),

  volumeCase('returns a copy of the mounted volumes', async ({ pod, mount, volumesOf }) => {
    await mount(pod('web', ['data']));
    const copy = volumesOf('web') as Map<string, MountedVolume>;
    const path = copy.get('data')?.hostPath;
    Object.assign(copy.get('data') ?? {}, { hostPath: '/changed' });
    copy.clear();
    assert.equal(volumesOf('web').get('data')?.hostPath, path);
  }),

  volumeCase('rejects with the reason of an aborted signal', async ({ pod, add, end, manager, advance, waitsWithinMs }) => {
    const signal = AbortSignal.abort(new Error('the agent ends'));
    const web = pod('web', ['data']);
    const reasonOf = (call: Promise<void>) => failureOf('the wait', settled(advance, 'the wait', call, waitsWithinMs));
    await add(web);
    assert.equal(await reasonOf(manager.waitForAttachAndMount(web, signal)), signal.reason);
    await end(web);
    assert.equal(await reasonOf(manager.waitForUnmount(web, signal)), signal.reason);
  }),

  volumeCase(
    'rejects with the reason of a signal that aborts during the wait',
    async ({ pod, add, manager, setFailing, advance, waitsWithinMs }) => {
      await setFailing?.(true);
      const web = pod('web', ['data']);
      await add(web);
      const controller = new AbortController();
      const waiting = manager.waitForAttachAndMount(web, controller.signal);
      waiting.catch(() => {});
      await advance(1_000);
      controller.abort(new Error('the agent ends'));
      assert.equal(await failureOf('the wait', settled(advance, 'the wait', waiting, waitsWithinMs)), controller.signal.reason);
    },
    'failures',
  ),

  volumeCase(
    "rejects in time with the kubelet's text, and mounts when that succeeds again",
    async ({ pod, mount, waitForMount, setFailing, mountedNames, volumesOf }) => {
      await setFailing?.(true);
      const web = pod('web', ['data']);
      const error = await failureOf('the wait', mount(web));
      const text = /^unmounted volumes=\[data\], unattached volumes=\[[^\]]*\], failed to process volumes=\[[^\]]*\]: ./;
      assert.match(errorMessage(error), text);
      assert.equal(volumesOf('web').size, 0);
      await setFailing?.(false);
      await waitForMount(web);
      assert.deepEqual(mountedNames('web'), ['data']);
    },
    'failures',
  ),

  volumeCase(
    'rejects a pod beyond the limit of the node with VolumeAttachmentLimitExceeded',
    async ({ beyondLimit, mount }) => {
      assert.ok(beyondLimit, 'the subject has no beyondLimit: leave out the capability attachmentLimit');
      assert.equal(errorCode(await failureOf('the wait', mount(beyondLimit))), 'VolumeAttachmentLimitExceeded');
    },
    'attachmentLimit',
  ),

  volumeCase(
    'reports after a restart that volumes may be mounted',
    async ({ pod, mount, stop, restart, advance, waitsWithinMs }) => {
      await mount(pod('web', ['data']));
      await stop();
      const next = restart?.();
      assert.ok(next, 'the subject has no restart: leave out the capability restart');
      await settled(advance, 'start', next.start?.() ?? Promise.resolve(), waitsWithinMs);
      const isKnown = next.hasPossiblyMountedVolumesForPod('web');
      await settled(advance, 'stop', next.stop?.() ?? Promise.resolve(), waitsWithinMs);
      assert.equal(isKnown, true);
    },
    'restart',
  ),
];
