import { expect, it } from 'vitest';
import { containerEndings } from './container-endings.js';

const status = { ready: false, restartCount: 0, image: 'host', imageID: '' };

it('tells the last end of each container and the one before it', () => {
  expect(
    containerEndings({
      initContainerStatuses: [
        { ...status, name: 'init', state: { terminated: { exitCode: 0, reason: 'Completed', containerID: 'c://1' } } },
      ],
      containerStatuses: [
        { ...status, name: 'app', state: { running: {} }, lastState: { terminated: { exitCode: 0, signal: 9, containerID: 'c://2' } } },
        { ...status, name: 'other', state: { waiting: {} } },
      ],
    }),
  ).toEqual([
    { id: 'init c://1', container: 'init', text: 'ended with exit code 0 (Completed)' },
    { id: 'app c://2', container: 'app', text: 'ended with signal 9' },
  ]);
});

it('takes no notice of a container that never was', () => {
  const terminated = { exitCode: 137, reason: 'ContainerStatusUnknown' };
  expect(containerEndings({ containerStatuses: [{ ...status, name: 'app', state: { terminated } }] })).toEqual([]);
});
