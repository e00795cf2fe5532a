import type { ContainerState } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { chooseLogContainer } from './choose-log-container.js';

const ended = (containerID?: string) => ({ terminated: { exitCode: 1, ...(containerID && { containerID }) } });
const choose = (state: ContainerState, lastState: ContainerState = {}, previous = false) => {
  const container = { name: 'app', state, lastState, ready: false, restartCount: 0, image: '', imageID: '', containerID: 'c://now' };
  const chosen = chooseLogContainer({ podName: 'web', containerName: 'app', previous, status: { initContainerStatuses: [container] } });
  return 'error' in chosen ? chosen.error.replace('container "app" in pod "web"', 'C') : chosen.containerId;
};

describe('chooseLogContainer', () => {
  it.each([
    ['the running one', { running: {} }, {}, 'c://now'],
    ['the one that ended', ended('c://1'), {}, 'c://1'],
    ['the previous one, when the next did not start', ended(), ended('c://0'), 'c://0'],
    ['none, when nothing ever ran', ended(), {}, 'C is terminated'],
    ['the last one, while it waits', { waiting: { reason: 'CrashLoopBackOff' } }, ended('c://0'), 'c://0'],
    ['none, when the last one left nothing', {}, ended(), 'C is terminated'],
    ['none for an image', { waiting: { reason: 'ErrImagePull' } }, {}, "C is waiting to start: image can't be pulled"],
    ['none again', { waiting: { reason: 'ImagePullBackOff' } }, {}, 'C is waiting to start: trying and failing to pull image'],
    ['none yet', { waiting: { reason: 'ContainerCreating' } }, {}, 'C is waiting to start: ContainerCreating'],
    ['none at all', {}, {}, 'C is waiting to start - no logs yet'],
  ])('chooses %s', (_what, state: ContainerState, lastState: ContainerState, expected) => {
    expect(choose(state, lastState)).toBe(expected);
  });

  it('chooses the previous one on request', () => {
    expect(choose({ running: {} }, ended('c://0'), true)).toBe('c://0');
    expect(choose({ running: {} }, ended(), true)).toBe('previous terminated C not found');
  });

  it('does not find a container without a status', () => {
    expect(chooseLogContainer({ podName: 'web', containerName: 'app', previous: false, status: undefined })).toEqual({
      error: 'container "app" in pod "web" is not available',
    });
  });
});
