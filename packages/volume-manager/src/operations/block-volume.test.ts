import { type PersistentVolume, uncertainProgress, type VolumePlugin } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createFakeDisk, fakeCluster, fakeNode, never, podWith, setUpWith } from '../test-harness.js';

const name = 'test.io/block';

/** A manager whose only plugin has raw block devices, and its calls in order. */
function setUp() {
  const calls: string[] = [];
  const fault: { step?: string; error?: Error } = {};
  const call = async (step: string) => {
    calls.push(step);
    if (fault.step === step) throw fault.error ?? new Error(`${step} refused`);
  };
  const devices = { open: false, refs: [] as string[] };
  const map = (uid: string) => ({ path: `/pods/${uid}/volumeDevices/test.io~block`, name: 'pv-db' });
  const plugin: VolumePlugin = {
    name,
    canSupport: ({ persistentVolume }) => persistentVolume !== undefined,
    volumeName: () => 'pv-db',
    requiresRemount: () => false,
    supportsMountOption: false,
    mounter: () => Promise.reject(new Error('no file system')),
    unmounter: () => Promise.reject(new Error('no file system')),
    constructVolumeSpec: () => Promise.reject(new Error('no file system')),
    attachable: { canAttach: () => true, attacher: () => ({ waitForAttach: async () => '/dev/sda' }) },
    block: {
      mapper: (_spec, pod) => ({
        globalMapPath: () => '/global/pv-db',
        podDeviceMapPath: () => map(podUid(pod)),
        setUpDevice: () => call('setUpDevice').then(() => ''),
        mapPodDevice: () => call('mapPodDevice').then(() => ''),
      }),
      unmapper: (_specName, uid) => ({
        podDeviceMapPath: () => map(uid),
        tearDownDevice: () => call('tearDownDevice'),
        unmapPodDevice: () => call('unmapPodDevice'),
      }),
      constructBlockVolumeSpec: () => Promise.reject(new Error('nothing was found')),
    },
  };
  const cluster = fakeCluster();
  cluster.attached.add(`${name}/pv-db`);
  const blockVolumes = {
    async get(key: { name: string }): Promise<PersistentVolume> {
      const volume = await cluster.persistentVolumes.get(key);
      return { ...volume, spec: { ...volume.spec, volumeMode: 'Block' } };
    },
  };
  const recorder = createRecordingRecorder();
  const agent = setUpWith({
    clock: createVirtualClock(),
    cluster,
    recorder,
    plugins: [plugin],
    persistentVolumes: blockVolumes,
    node: {
      ...fakeNode(createFakeDisk()),
      mapBlockDevice: ({ devicePath, podPath, podLink }) => call(`map ${devicePath} ${podPath}/${podLink}`),
      unmapBlockDevice: ({ podPath, podLink }) => call(`unmap ${podPath}/${podLink}`),
      removeBlockLink: ({ podPath, podLink }) => call(`unlink ${podPath}/${podLink}`),
      removeMapPath: (path) => call(`remove ${path}`),
      blockRefs: async () => devices.refs,
      isDeviceOpen: async () => devices.open,
    },
  });
  const pod = podWith('p1', ['claim:db']);
  const [container] = pod.spec?.containers ?? [];
  const withDevice = {
    ...pod,
    spec: {
      ...pod.spec,
      containers: [{ ...container, name: 'main', volumeMounts: [], volumeDevices: [{ name: 'db', devicePath: '/dev/db' }] }],
    },
  };
  const start = async () => {
    await agent.manager.start();
    agent.add(withDevice);
    const mapped = agent.manager.waitForAttachAndMount(withDevice, never);
    await agent.clock.advance(100);
    agent.manager.markVolumesAsReportedInUse([`${name}/pv-db`]);
    return mapped;
  };
  return { ...agent, recorder, calls, fault, devices, start, pod: withDevice };
}

describe('raw block devices', () => {
  it('are mapped into the pod, and unmapped after it terminates', async () => {
    const { start, outcome, manager, calls, recorder, ended, clock, pod } = setUp();
    expect(await outcome(start())).toBe('ok');
    const link = '/pods/p1/volumeDevices/test.io~block/pv-db';
    expect(calls).toEqual(['setUpDevice', 'mapPodDevice', `map /dev/sda ${link}`]);
    expect(manager.getMountedVolumesForPod('p1').get('db')).toMatchObject({ hostPath: link, block: true });
    expect(recorder.events.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
      'SuccessfulMountVolume MapVolume.MapPodDevice succeeded for volume "pv-db" globalMapPath "/global/pv-db"',
      'SuccessfulMountVolume MapVolume.MapPodDevice succeeded for volume "pv-db" volumeMapPath "/pods/p1/volumeDevices/test.io~block"',
    ]);
    calls.length = 0;
    ended.add('p1');
    expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
    await clock.advance(1000);
    expect(calls).toEqual([`unmap ${link}`, 'unmapPodDevice', `unlink ${link}`, 'tearDownDevice', 'remove /global/pv-db']);
    expect(manager.volumeIsAttached(`${name}/pv-db`)).toBe(false);
  });

  it.each([
    ['unmapPodDevice', ['mapPodDevice', 'map /dev/sda /pods/p1/volumeDevices/test.io~block/pv-db']],
    ['tearDownDevice', ['setUpDevice', 'mapPodDevice', 'map /dev/sda /pods/p1/volumeDevices/test.io~block/pv-db']],
  ])('are mapped again for a pod that returns after a %s that failed halfway', async (step, mappedAgain) => {
    const { start, outcome, manager, calls, fault, ended, clock, pod } = setUp();
    await outcome(start());
    fault.step = step;
    ended.add('p1');
    await outcome(manager.waitForUnmount(pod, never), 1_000);
    await clock.advance(100);
    expect(calls.at(-1)).toBe(step);
    delete fault.step;
    ended.delete('p1');
    calls.length = 0;
    const mapped = manager.waitForAttachAndMount(pod, never);
    await clock.advance(1_000);
    manager.markVolumesAsReportedInUse([`${name}/pv-db`]);
    expect(await outcome(mapped)).toBe('ok');
    expect(calls).toEqual(expect.arrayContaining(mappedAgain));
  });

  it('stay set up while they have other references', async () => {
    const { start, outcome, manager, devices, ended, clock, pod } = setUp();
    await outcome(start());
    devices.refs = ['/elsewhere'];
    ended.add('p1');
    await outcome(manager.waitForUnmount(pod, never));
    await clock.advance(10_000);
    expect(manager.volumeIsAttached(`${name}/pv-db`)).toBe(true);
    devices.refs = [];
    devices.open = true;
    await clock.advance(60_000);
    expect(manager.volumeIsAttached(`${name}/pv-db`)).toBe(true);
    devices.open = false;
    await clock.advance(130_000);
    expect(manager.volumeIsAttached(`${name}/pv-db`)).toBe(false);
  });

  it.each(['setUpDevice', 'mapPodDevice'])('are mapped again when %s fails, with an event on the pod', async (step) => {
    const { start, outcome, fault, recorder, clock } = setUp();
    fault.step = step;
    fault.error = uncertainProgress('no answer');
    const mapped = start();
    const result = outcome(mapped);
    await clock.advance(2000);
    const prefix = step === 'setUpDevice' ? 'MapVolume.SetUpDevice failed' : 'MapVolume.MapPodDevice failed';
    expect(recorder.events[0]).toMatchObject({ reason: 'FailedMapVolume', message: `${prefix} for volume "pv-db" : no answer` });
    delete fault.step;
    expect(await result).toBe('ok');
  });
});
