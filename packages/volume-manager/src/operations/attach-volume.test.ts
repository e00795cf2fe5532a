import { createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createFakeDisk, fakePlugins, never, podWith, remotePlugin, setUpWith } from '../test-harness.js';

it('attaches and detaches without a controller, and emits an event on the pod', async () => {
  const clock = createVirtualClock();
  const recorder = createRecordingRecorder();
  const disk = createFakeDisk();
  const calls: string[] = [];
  let refuses = true;
  const plugins = fakePlugins(disk, clock, () => 'done').plugins.map((plugin) => ({
    ...plugin,
    ...(plugin.attachable && {
      attachable: {
        canAttach: () => true,
        attacher: () => ({
          waitForAttach: async (_spec: unknown, devicePath: string) => devicePath,
          async attach(_spec: unknown, nodeName: string) {
            if (refuses) throw new Error('no room');
            calls.push(`attach to ${nodeName}`);
            return '/dev/sda';
          },
          detach: async (volumeName: string, nodeName: string) => void calls.push(`detach ${volumeName} from ${nodeName}`),
        }),
      },
    }),
  }));
  const { manager, add, outcome, ended } = setUpWith({ clock, recorder, disk, plugins, settings: { controllerAttachDetach: false } });
  const pod = podWith('p1', ['claim:db']);
  await manager.start();
  add(pod);
  const mounted = outcome(manager.waitForAttachAndMount(pod, never));
  await clock.advance(300);
  refuses = false;
  expect(await mounted).toBe('ok');
  expect(recorder.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`.trim())).toEqual([
    'Warning FailedAttachVolume AttachVolume.Attach failed for volume "pv-db" : no room',
    'Normal SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "pv-db"',
  ]);
  ended.add('p1');
  expect(await outcome(manager.waitForUnmount(pod, never))).toBe('ok');
  await clock.advance(1000);
  expect(calls).toEqual(['attach to n1', 'detach pv-db from n1']);
  expect(manager.volumeIsAttached(`${remotePlugin}/pv-db`)).toBe(false);
});
