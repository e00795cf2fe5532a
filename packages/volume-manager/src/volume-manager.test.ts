import { createRecordingRecorder, createVirtualClock, type VirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import {
  createFakeDisk,
  fakeCluster,
  fakePlugins,
  localPlugin,
  mountPath,
  never,
  podWith,
  remotePlugin,
  setUpWith,
} from './test-harness.js';
import { waitForAllPodsUnmount } from './wait-for-all-pods-unmount.js';

/** With a virtual clock and a recorder, unless given. */
function setUp(options: Partial<Parameters<typeof setUpWith<VirtualClock>>[0]> = {}) {
  const recorder = createRecordingRecorder();
  return { recorder, ...setUpWith({ clock: createVirtualClock(), recorder, ...options }) };
}

const remoteName = (claim: string) => `${remotePlugin}/pv-${claim}`;

describe('volume manager', () => {
  it('mounts the volumes of a pod and unmounts them when the pod has terminated', async () => {
    const { manager, add, outcome, disk, ended, pods } = setUp();
    const pod = podWith('p1', ['data', 'cache']);
    await manager.start();
    add(pod);
    expect(await outcome(manager.waitForAttachAndMount(pod, never))).toBe('ok');
    expect([...disk.mounts.keys()].sort()).toEqual([mountPath('p1', localPlugin, 'cache'), mountPath('p1', localPlugin, 'data')]);
    expect(manager.getMountedVolumesForPod('p1').get('data')).toEqual({
      hostPath: mountPath('p1', localPlugin, 'data'),
      readOnly: false,
      specName: 'data',
      selinuxRelabel: true,
      block: false,
    });
    expect(manager.hasPossiblyMountedVolumesForPod('p1')).toBe(true);

    ended.add('p1');
    expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
    pods.delete('p1');
    expect(disk.mounts.size).toBe(0);
    expect(manager.hasPossiblyMountedVolumesForPod('p1')).toBe(false);
    expect(manager.getMountedVolumesForPod('p1').size).toBe(0);
  });

  it('unmounts the volumes of a pod that is no longer listed, without podStates and sourcesReady', async () => {
    const { manager, add, outcome, disk, pods } = setUp({ podStates: undefined, sourcesReady: undefined });
    const pod = podWith('p1', ['data']);
    await manager.start();
    add(pod);
    expect(await outcome(manager.waitForAttachAndMount(pod, never))).toBe('ok');
    expect(disk.mounts.size).toBe(1);
    pods.delete('p1');
    expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
    expect(disk.mounts.size).toBe(0);
  });

  it('does nothing while nothing changes', async () => {
    const { manager, add, outcome, clock, calls } = setUp();
    const pod = podWith('p1', ['data']);
    await manager.start();
    add(pod);
    await outcome(manager.waitForAttachAndMount(pod, never));
    await clock.advance(1000);
    const before = calls.length;
    expect(clock.pending).toBe(0);
    await clock.advance(86_400_000);
    expect(calls.length).toBe(before);
  });

  it('ignores volumes that no container uses, and pods without any', async () => {
    const { manager, add, outcome, disk } = setUp();
    const pod = podWith('p1', ['data']);
    const unused = { ...pod, spec: { containers: [], volumes: [{ name: 'odd', hostPath: { path: '/' } }] } };
    await manager.start();
    add(unused);
    expect(await outcome(manager.waitForAttachAndMount(unused, never))).toBe('ok');
    expect(disk.mounts.size).toBe(0);
  });

  it('waits until the controller has attached the volume and the node has reported it in use', async () => {
    const { manager, add, outcome, cluster, disk, clock, calls } = setUp();
    const pod = podWith('p1', ['claim:data']);
    await manager.start();
    add(pod);
    const mounted = manager.waitForAttachAndMount(pod, never);
    await clock.advance(5000);
    expect(calls).toEqual([]);
    expect(manager.getVolumesInUse()).toEqual([remoteName('data')]);
    manager.markVolumesAsReportedInUse(manager.getVolumesInUse());
    await clock.advance(5000);
    expect([calls, manager.volumeIsAttached(remoteName('data'))]).toEqual([[], false]);
    cluster.attached.add(remoteName('data'));
    expect(await outcome(mounted)).toBe('ok');
    expect(calls).toEqual(['mountDevice pv-data', 'setUp p1 pv-data']);
    expect(disk.devices.size).toBe(1);
    expect(manager.volumeIsAttached(remoteName('data'))).toBe(true);
  });

  it('mounts a shared device once and unmounts it after its last pod', async () => {
    const { manager, add, outcome, cluster, ended, calls, disk } = setUp();
    cluster.attached.add(remoteName('data'));
    const [first, second] = [podWith('p1', ['claim:data']), podWith('p2', ['claim:data'])];
    await manager.start();
    add(first);
    add(second);
    const mounted = Promise.all([manager.waitForAttachAndMount(first, never), manager.waitForAttachAndMount(second, never)]);
    await outcome(Promise.resolve());
    manager.markVolumesAsReportedInUse([remoteName('data')]);
    expect(await outcome(mounted)).toBe('ok');
    expect(calls.filter((call) => call.startsWith('mountDevice'))).toHaveLength(1);

    ended.add('p1');
    expect(await outcome(manager.waitForUnmount(first, never))).toBe('ok');
    expect(disk.devices.size).toBe(1);
    ended.add('p2');
    expect(await outcome(waitForAllPodsUnmount(manager, [first, second], never))).toBe('ok');
    await outcome(Promise.resolve());
    expect([disk.devices.size, disk.mounts.size, manager.getVolumesInUse()]).toEqual([0, 0, []]);
  });

  it('updates the content of config maps at each sync, without waiting for it', async () => {
    const { manager, add, outcome, calls, clock } = setUp();
    const pod = podWith('p1', ['config:settings', 'data']);
    await manager.start();
    add(pod);
    await outcome(manager.waitForAttachAndMount(pod, never));
    calls.length = 0;
    expect(await outcome(manager.waitForAttachAndMount(pod, never))).toBe('ok');
    await clock.advance(100);
    expect(calls).toEqual(['setUp p1 settings']);
  });

  it.each(['while its claim is read', 'while it waits for the attachment', 'between the tries of a mount'])(
    'mounts nothing for a pod that starts to terminate %s',
    async (when) => {
      const cluster = fakeCluster();
      let release = () => {};
      let isFailing = when === 'between the tries of a mount';
      const terminating = new Set<string>();
      const { manager, add, calls, clock, ended, pods, outcome } = setUp({
        cluster,
        podStates: {
          shouldPodContainersBeTerminating: (uid) => terminating.has(uid) || !pods.has(uid),
          shouldPodRuntimeBeRemoved: (uid) => ended.has(uid) || !pods.has(uid),
        },
        claims: {
          async get(...request) {
            if (when === 'while its claim is read') await new Promise<void>((resolve) => (release = resolve));
            return cluster.claims.get(...request);
          },
        },
        outcomeOf: (call) => (isFailing && call.startsWith('setUp') ? 'final' : 'done'),
      });
      if (when !== 'while it waits for the attachment') cluster.attached.add(remoteName('db'));
      await manager.start();
      const pod = podWith('p1', ['claim:db']);
      add(pod);
      const controller = new AbortController();
      const waiting = outcome(manager.waitForAttachAndMount(pod, controller.signal));
      await clock.advance(1_000);
      if (when !== 'while its claim is read') manager.markVolumesAsReportedInUse([remoteName('db')]);
      await clock.advance(1_000);
      const before = calls.length;

      terminating.add('p1');
      controller.abort(new Error('context canceled'));
      expect(await waiting).toBe('context canceled');
      isFailing = false;
      cluster.attached.add(remoteName('db'));
      release();
      await clock.advance(1_000);
      manager.markVolumesAsReportedInUse([remoteName('db')]);
      await clock.advance(150_000);
      expect(calls.slice(before)).toEqual([]);
      if (when === 'while its claim is read') expect(manager.getVolumesInUse()).toEqual([]);
      ended.add('p1');
      expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
      expect(calls.slice(before).filter((call) => call.startsWith('setUp') || call.startsWith('mountDevice'))).toEqual([]);
    },
  );

  it('updates no content for a pod that starts to terminate while its claim is read', async () => {
    const cluster = fakeCluster();
    let reading: Promise<void> | undefined;
    let release = () => {};
    const terminating = new Set<string>();
    const { manager, add, outcome, calls, clock, pods } = setUp({
      cluster,
      podStates: {
        shouldPodContainersBeTerminating: (uid) => terminating.has(uid) || !pods.has(uid),
        shouldPodRuntimeBeRemoved: (uid) => !pods.has(uid),
      },
      claims: {
        async get(...request) {
          await reading;
          return cluster.claims.get(...request);
        },
      },
    });
    cluster.attached.add(remoteName('db'));
    const pod = podWith('p1', ['config:settings', 'claim:db']);
    await manager.start();
    add(pod);
    const mounted = outcome(manager.waitForAttachAndMount(pod, never));
    await clock.advance(1_000);
    manager.markVolumesAsReportedInUse([remoteName('db')]);
    expect(await mounted).toBe('ok');
    calls.length = 0;
    reading = new Promise((resolve) => (release = resolve));
    void manager.waitForAttachAndMount(pod, never).catch(() => {});
    await clock.advance(1_000);
    terminating.add('p1');
    release();
    await clock.advance(150_000);
    expect(calls).toEqual([]);
  });

  it('unmounts a volume whose expansion failed after its mount', async () => {
    const clock = createVirtualClock();
    const disk = createFakeDisk();
    const cluster = fakeCluster();
    const { plugins, calls } = fakePlugins(disk, clock, () => 'done');
    const [local, remote] = plugins;
    if (local === undefined || remote === undefined) throw new Error('two plugins');
    const nodeExpand = async () => Promise.reject(new Error('no room'));
    const claims: typeof cluster.claims = {
      async get(...request) {
        const claim = await cluster.claims.get(...request);
        return { ...claim, status: { ...claim.status, capacity: { storage: '1Gi' } } };
      },
    };
    const persistentVolumes: typeof cluster.persistentVolumes = {
      async get(...request) {
        const volume = await cluster.persistentVolumes.get(...request);
        return { ...volume, spec: { ...volume.spec, capacity: { storage: '2Gi' } } };
      },
    };
    const expandable = { requiresFSResize: true, nodeExpand } as NonNullable<(typeof remote)['expandable']>;
    const { manager, add, outcome, ended } = setUp({
      ...{ clock, disk, cluster, claims, persistentVolumes },
      claimStatuses: { patch: async () => claims.get({ name: 'db', namespace: 'ns' }) },
      plugins: [local, { ...remote, expandable }],
    });
    cluster.attached.add(remoteName('db'));
    const pod = podWith('p1', ['claim:db']);
    await manager.start();
    add(pod);
    const mounted = manager.waitForAttachAndMount(pod, never);
    await clock.advance(1_000);
    manager.markVolumesAsReportedInUse([remoteName('db')]);
    expect(await outcome(mounted)).toContain('unmounted volumes=[db]');
    expect(calls).toContain('setUp p1 pv-db');
    ended.add('p1');
    expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
    expect([disk.mounts.size, calls.filter((call) => call.startsWith('tearDown'))]).toEqual([0, ['tearDown p1 pv-db']]);
  });

  it('processes a pod again if its next sync begins while its claims are read', async () => {
    const cluster = fakeCluster();
    let reads = 0;
    let reading: Promise<void> | undefined;
    let release = () => {};
    const { manager, add, outcome, clock } = setUp({
      cluster,
      claims: {
        async get(...request) {
          reads++;
          await reading;
          return cluster.claims.get(...request);
        },
      },
    });
    cluster.attached.add(remoteName('db'));
    const pod = podWith('p1', ['claim:db']);
    await manager.start();
    add(pod);
    const mounted = outcome(manager.waitForAttachAndMount(pod, never));
    await clock.advance(1_000);
    manager.markVolumesAsReportedInUse([remoteName('db')]);
    expect(await mounted).toBe('ok');
    reads = 0;
    reading = new Promise((resolve) => (release = resolve));
    const syncs = [manager.waitForAttachAndMount(pod, never)];
    await clock.advance(1_000);
    syncs.push(manager.waitForAttachAndMount(pod, never));
    release();
    await Promise.all(syncs);
    await clock.advance(1_000);
    expect(reads).toBe(2);
  });

  it('reports after the timeout why volumes are not mounted', async () => {
    const { manager, add, outcome, recorder, clock } = setUp({ outcomeOf: () => 'final' });
    const pod = podWith('p1', ['data', 'claim:db']);
    await manager.start();
    add(pod);
    const began = clock.now();
    expect(await outcome(manager.waitForAttachAndMount(pod, never))).toBe(
      'unmounted volumes=[data db], unattached volumes=[db], failed to process volumes=[]: context deadline exceeded',
    );
    expect(clock.now() - began).toBeLessThanOrEqual(123_100);
    expect(recorder.events[0]).toMatchObject({
      type: 'Warning',
      reason: 'FailedMount',
      message: 'MountVolume.SetUp failed for volume "data" : setUp p1 data: refused',
    });
    // 0.5 s, 1 s, 2 s, ..., 64 s: eight tries in 123 s.
    expect(recorder.events).toHaveLength(8);
  });

  it('fails at once if a claim is not ready, and retries with the next wait', async () => {
    const { manager, add, outcome, cluster, clock } = setUp();
    cluster.faults.claims = true;
    const pod = podWith('p1', ['claim:db']);
    await manager.start();
    add(pod);
    const began = clock.now();
    expect(await outcome(manager.waitForAttachAndMount(pod, never))).toBe(
      'unmounted volumes=[db], unattached volumes=[], failed to process volumes=[db]: ' +
        'error processing PVC ns/db: failed to fetch PVC from API server: the API server is unreachable',
    );
    expect(clock.now() - began).toBeLessThan(1000);
    cluster.faults.claims = false;
    cluster.attached.add(remoteName('db'));
    const mounted = manager.waitForAttachAndMount(pod, never);
    await clock.advance(100);
    manager.markVolumesAsReportedInUse([remoteName('db')]);
    expect(await outcome(mounted)).toBe('ok');
  });

  it('rejects a pod when the node has reached its attachment limit', async () => {
    const { manager, add, outcome, recorder } = setUp({
      plugins: fakePlugins(createFakeDisk(), createVirtualClock(), () => 'done').plugins.map((plugin) =>
        plugin.attachable ? { ...plugin, attachable: { ...plugin.attachable, isResourceExhausted: async () => true } } : plugin,
      ),
    });
    const pod = podWith('p1', ['claim:db']);
    await manager.start();
    add(pod);
    const wait = manager.waitForAttachAndMount(pod, never);
    wait.catch(() => {});
    expect(await outcome(wait)).toMatch(/^Node has reached its volume attachment limit, rejecting pod\. unmounted volumes=\[db\]/);
    await expect(wait).rejects.toMatchObject({ code: 'VolumeAttachmentLimitExceeded' });
    expect(recorder.events).toEqual([]);
  });

  it('treats an uncertain volume as mounted until it was unmounted', async () => {
    const { manager, add, outcome, disk, ended, clock } = setUp({
      outcomeOf: (call) => (call.startsWith('setUp') ? 'uncertain after all' : 'done'),
    });
    const pod = podWith('p1', ['data']);
    await manager.start();
    add(pod);
    expect(await outcome(manager.waitForAttachAndMount(pod, never), 2000)).toBe('still waiting');
    expect([disk.mounts.size, manager.hasPossiblyMountedVolumesForPod('p1')]).toEqual([1, true]);
    expect(manager.getMountedVolumesForPod('p1').size).toBe(0);
    ended.add('p1');
    expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
    await clock.advance(130_000);
    expect([disk.mounts.size, manager.hasPossiblyMountedVolumesForPod('p1')]).toEqual([0, false]);
  });

  it('reports the volumes that a terminated pod still has', async () => {
    const { manager, add, outcome, ended, clock } = setUp({ outcomeOf: (call) => (call.startsWith('tearDown') ? 'hang' : 'done') });
    const pod = podWith('p1', ['data']);
    await manager.start();
    add(pod);
    await clock.advance(100);
    ended.add('p1');
    const text = `mounted volumes=[${localPlugin}/p1-data]: context deadline exceeded`;
    expect(await outcome(waitForAllPodsUnmount(manager, [pod, podWith('p2', [])], never))).toBe(text);
  });

  it('keeps retrying a failed unmount, though the pod does not wait for it', async () => {
    let refuses = true;
    const { manager, add, outcome, disk, ended, clock, recorder } = setUp({
      outcomeOf: (call) => (call.startsWith('tearDown') && refuses ? 'final' : 'done'),
    });
    const pod = podWith('p1', ['data']);
    await manager.start();
    add(pod);
    await clock.advance(100);
    ended.add('p1');
    expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
    expect([manager.hasPossiblyMountedVolumesForPod('p1'), recorder.events]).toEqual([true, []]);
    refuses = false;
    await clock.advance(2000);
    expect([disk.mounts.size, manager.hasPossiblyMountedVolumesForPod('p1')]).toEqual([0, false]);
  });

  it('stops while plugins hang, and keeps track of all mounts', async () => {
    const { manager, add, outcome, clock } = setUp({ outcomeOf: () => 'hang' });
    const pod = podWith('p1', ['data']);
    await manager.start();
    add(pod);
    await clock.advance(1000);
    expect(manager.hasPossiblyMountedVolumesForPod('p1')).toBe(true);
    expect(await outcome(manager.stop())).toBe('ok');
    await manager.stop();
  });

  it('rejects a wait whose signal aborts', async () => {
    const { manager, add, outcome } = setUp({ outcomeOf: () => 'hang' });
    const pod = podWith('p1', ['data']);
    await manager.start();
    add(pod);
    const controller = new AbortController();
    const wait = outcome(manager.waitForAttachAndMount(pod, controller.signal));
    controller.abort(new Error('the pod was removed'));
    expect(await wait).toBe('the pod was removed');
  });

  it('rejects an infinite timeout', () => {
    expect(() => setUp({ settings: { waitTimeoutMs: 0 } })).toThrow(
      expect.objectContaining({
        code: 'InvalidOption',
        message: 'settings.waitTimeoutMs must be a number above 0, got 0',
        details: { field: 'settings.waitTimeoutMs' },
      }),
    );
  });
});

describe('after a restart', () => {
  it('reconstructs its volumes: keeps those that pods use, unmounts the rest', async () => {
    const before = setUp();
    const { disk, clock, cluster } = before;
    await before.manager.start();
    cluster.attached.add(remoteName('db'));
    const [kept, removed] = [podWith('kept', ['data', 'claim:db']), podWith('removed', ['data'])];
    before.add(kept);
    before.add(removed);
    await clock.advance(100);
    before.manager.markVolumesAsReportedInUse([remoteName('db')]);
    await clock.advance(2000);
    expect(disk.mounts.size).toBe(3);
    await before.manager.stop();

    const after = setUp({ disk, clock, cluster });
    after.add(kept);
    cluster.faults.node = true;
    await after.manager.start();
    await clock.advance(5000);
    expect([disk.mounts.size, after.manager.reconcilerStatesHasBeenSynced()]).toEqual([3, false]);
    cluster.faults.node = false;
    await clock.advance(2000);
    expect(after.manager.reconcilerStatesHasBeenSynced()).toBe(true);
    expect([...disk.mounts.keys()].sort()).toEqual([mountPath('kept', localPlugin, 'data'), mountPath('kept', remotePlugin, 'pv-db')]);
    expect(await after.outcome(after.manager.waitForAttachAndMount(kept, never))).toBe('ok');
    expect(after.manager.getVolumesInUse()).toEqual([remoteName('db')]);
  });

  it('unmounts no volume before every pod source has reported', async () => {
    const before = setUp();
    const { disk, clock } = before;
    await before.manager.start();
    before.add(podWith('p1', ['data']));
    await clock.advance(1000);
    await before.manager.stop();

    let ready = false;
    const after = setUp({ disk, clock, sourcesReady: () => ready });
    await after.manager.start();
    await clock.advance(60_000);
    expect(disk.mounts.size).toBe(1);
    ready = true;
    after.manager.podsChanged();
    await clock.advance(1000);
    expect(disk.mounts.size).toBe(0);
  });

  it('keeps the volumes of a pod that was deleted meanwhile until its containers have terminated', async () => {
    const before = setUp();
    const { disk, clock } = before;
    await before.manager.start();
    before.add(podWith('removed', ['data']));
    await clock.advance(1000);
    await before.manager.stop();

    let isRunning = true;
    const podStates = { shouldPodContainersBeTerminating: () => true, shouldPodRuntimeBeRemoved: () => !isRunning };
    const after = setUp({ disk, clock, podStates });
    await after.manager.start();
    await clock.advance(60_000);
    expect(disk.mounts.size).toBe(1);
    isRunning = false;
    after.manager.podsChanged();
    await clock.advance(1000);
    expect(disk.mounts.size).toBe(0);
  });

  it('keeps the reconstructed volumes of a pod whose claims cannot be read', async () => {
    const before = setUp();
    const { disk, clock, cluster } = before;
    cluster.attached.add(remoteName('db'));
    const pod = podWith('p1', ['claim:db']);
    await before.manager.start();
    before.add(pod);
    await clock.advance(100);
    before.manager.markVolumesAsReportedInUse([remoteName('db')]);
    await clock.advance(1000);
    expect(disk.mounts.size).toBe(1);
    await before.manager.stop();

    const after = setUp({ disk, clock, cluster });
    cluster.faults.claims = true;
    after.add(pod);
    await after.manager.start();
    expect(await after.outcome(after.manager.waitForAttachAndMount(pod, never))).toMatch(/failed to fetch PVC/);
    await clock.advance(300_000);
    expect([after.manager.reconcilerStatesHasBeenSynced(), after.calls, disk.mounts.size]).toEqual([true, [], 1]);
    cluster.faults.claims = false;
    expect(await after.outcome(after.manager.waitForAttachAndMount(pod, never))).toBe('ok');
    expect([...disk.mounts.keys()]).toEqual([mountPath('p1', remotePlugin, 'pv-db')]);
  });

  it('unmounts a device that no pod uses any more', async () => {
    const { disk, manager, calls, clock } = setUp();
    disk.devices.set('pv-db', { persistentVolume: { metadata: { name: 'pv-db' } }, readOnly: false });
    await manager.start();
    await clock.advance(2000);
    expect([calls, disk.devices.size, manager.volumeIsAttached(remoteName('db'))]).toEqual([['unmountDevice pv-db'], 0, false]);
  });

  it('unmounts no device before it has read the attached volumes of its node', async () => {
    const { disk, manager, calls, clock, cluster } = setUp();
    disk.devices.set('pv-db', { persistentVolume: { metadata: { name: 'pv-db' } }, readOnly: false });
    cluster.faults.node = true;
    await manager.start();
    await clock.advance(60_000);
    expect(calls).toEqual([]);
    cluster.faults.node = false;
    await clock.advance(60_000);
    expect(calls).toEqual(['unmountDevice pv-db']);
  });

  it('cleans up folders that it cannot reconstruct, unless a pod uses the volume', async () => {
    const before = setUp();
    const { disk, clock } = before;
    await before.manager.start();
    before.add(podWith('p1', ['data']));
    before.add(podWith('p2', ['data']));
    await clock.advance(1000);
    await before.manager.stop();
    for (const uid of ['p1', 'p2']) disk.unreadable.add(mountPath(uid, localPlugin, 'data'));

    const after = setUp({ disk, clock });
    after.add(podWith('p1', ['data']));
    await after.manager.start();
    await clock.advance(1000);
    expect(after.calls.sort()).toEqual(['setUp p1 data', 'tearDown p2 data']);
    expect([...disk.mounts.keys()]).toEqual([mountPath('p1', localPlugin, 'data')]);
  });
});
