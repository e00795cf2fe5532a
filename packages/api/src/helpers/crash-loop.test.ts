import { expect, it } from 'vitest';
import { crashLoopDelay, crashLoopMessage } from './crash-loop.js';

const pod = { metadata: { name: 'web', namespace: 'shop', uid: 'u' } };

it('formats the message of a kubelet', () => {
  expect(crashLoopMessage(pod, 'main', 160_000)).toBe('back-off 2m40s restarting failed container=main pod=web_shop(u)');
});

it.each([10_000, 160_000, 300_000, 500])('reads the delay of %i ms from the message', (delayMs) => {
  expect(crashLoopDelay(crashLoopMessage(pod, 'main', delayMs))).toBe(delayMs);
});

it.each(['', 'back-off', 'Back-off pulling image "a"', 'back-off later restarting failed container=a'])(
  'reads no delay from %j',
  (message) => {
    expect(crashLoopDelay(message)).toBeUndefined();
  },
);
