import { expect, it } from 'vitest';
import { containerTerminations } from './container-terminations.js';

const status = { ready: false, restartCount: 0, image: 'host', imageID: '' };

it('returns the last and the previous termination of each container', () => {
  expect(
    containerTerminations({
      initContainerStatuses: [
        { ...status, name: 'init', state: { terminated: { exitCode: 0, reason: 'Completed', containerID: 'c://1' } } },
      ],
      containerStatuses: [
        { ...status, name: 'app', state: { running: {} }, lastState: { terminated: { exitCode: 0, signal: 9, containerID: 'c://2' } } },
        { ...status, name: 'other', state: { waiting: {} } },
      ],
    }),
  ).toEqual([
    { id: 'init c://1', container: 'init', text: 'terminated with exit code 0 (Completed)' },
    { id: 'app c://2', container: 'app', text: 'terminated with signal 9' },
  ]);
});

it('ignores a container that was never created', () => {
  const terminated = { exitCode: 137, reason: 'ContainerStatusUnknown' };
  expect(containerTerminations({ containerStatuses: [{ ...status, name: 'app', state: { terminated } }] })).toEqual([]);
});
