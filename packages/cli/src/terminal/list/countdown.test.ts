import type { ContainerState, Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { countdown } from './countdown.js';

const now = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
const pod = (...states: [state: ContainerState, lastState?: ContainerState][]): Pod => ({
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: { containers: states.map((_, index) => ({ name: `c${index}`, image: `image:${index}` })) },
  status: {
    phase: 'Running',
    containerStatuses: states.map(([state, lastState], index) => ({
      ...{ name: `c${index}`, image: '', imageID: '', ready: false, restartCount: 1, state },
      ...(lastState && { lastState }),
    })),
  },
});
const crashLoop = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=c0 pod=web_default(u)' } };
const exited = (ago: number) => ({ terminated: { exitCode: 1, finishedAt: at(-ago) } });
const running = { running: { startedAt: at(-5) } };

it.each<[string | undefined, Pod]>([
  ['in 30s: c0 restarts', pod([crashLoop, exited(10)])],
  ['at the next sync: c0 restarts', pod([crashLoop, exited(50)])],
  ['in 10s: c1 restarts', pod([crashLoop, exited(10)], [crashLoop, exited(30)])],
  [undefined, pod([running])],
  // The status has no time of the last pull.
  [undefined, pod([{ waiting: { reason: 'ImagePullBackOff' } }])],
])('is %j', (text, given) => {
  expect(countdown(given, now, {})).toBe(text);
});

it("is exact with the agent's back-offs", () => {
  const backOffs = [{ container: 'c0', until: now + 125_000 }];
  expect(countdown(pod([{ waiting: { reason: 'ImagePullBackOff' } }]), now, { backOffs })).toBe('in 2m5s: c0 pulls image:0 again');
});

it('counts seconds down to the end', () => {
  const texts = [0, 9_000, 9_001, 19_999, 20_000].map((ms) => countdown(pod([crashLoop, exited(20)]), now + ms, {}));
  expect(texts).toEqual([
    'in 20s: c0 restarts',
    'in 11s: c0 restarts',
    'in 11s: c0 restarts',
    'in 1s: c0 restarts',
    'at the next sync: c0 restarts',
  ]);
});
