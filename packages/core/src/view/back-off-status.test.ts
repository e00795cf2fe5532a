import type { ContainerStatus } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { withBackOffs } from './back-off-status.js';

const container = (name: string, state: ContainerStatus['state'], lastState: ContainerStatus['state'] = {}): ContainerStatus => ({
  name,
  image: 'i',
  imageID: '',
  ready: false,
  restartCount: 1,
  state,
  lastState,
});
const terminated = { terminated: { exitCode: 3, reason: 'Error' } };
const reason = { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container' };

it('shows a container in back-off as waiting, and how it terminated as its last state', () => {
  const status = { phase: 'Running', containerStatuses: [container('main', terminated), container('other', terminated)] };
  const { containerStatuses } = withBackOffs(status, { main: reason });
  expect(containerStatuses).toEqual([container('main', { waiting: reason }, terminated), container('other', terminated)]);
});

it('shows an init container in back-off as waiting', () => {
  const status = { initContainerStatuses: [container('init', terminated)] };
  expect(withBackOffs(status, { init: reason }).initContainerStatuses).toEqual([container('init', { waiting: reason }, terminated)]);
});

it('keeps the reason of a container that already waits, and one that runs', () => {
  const containerStatuses = [container('pull', { waiting: { reason: 'ErrImagePull' } }), container('main', { running: {} })];
  expect(withBackOffs({ containerStatuses }, { pull: reason, main: reason })).toEqual({ containerStatuses });
});
