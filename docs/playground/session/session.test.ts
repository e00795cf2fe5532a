import { afterEach, expect, it } from 'vitest';
import type { PlaygroundState } from '../state.js';
import { Session } from './session.js';

const pod = (name: string, more = '') => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  annotations: { playground/main: "${more}" }
spec:
  containers: [{ name: main, image: app:1 }]
`;
const state: PlaygroundState = { manifests: pod('web'), seed: 1, nodes: 1, periods: 'kubelet', actions: [] };

let session: Session;
const open = async (more: Partial<PlaygroundState> = {}) => {
  session = await Session.create({ state: { ...state, ...more } });
  return session;
};
afterEach(() => session.stop());

const linesOf = ({ entries }: Session) => entries.map(({ at, who, pod: of, text, topic }) => [at, who, of, text, topic].join(' | '));

it('runs the manifests and records every decision in its order', async () => {
  const { entries } = await open();
  await session.advanceTo(10_000);
  expect(session.read().pods).toMatchObject([{ name: 'web', status: 'Running', ready: '1/1', level: 'good', node: 'node-1' }]);
  const texts = session.entries.map(({ text }) => text);
  const order = [
    'Scheduled',
    'added by',
    'CRI runPodSandbox',
    'CRI pullImage',
    'CRI createContainer',
    'CRI startContainer',
    'container main started',
    'Running, ready',
  ];
  const found = order.map((start) => texts.findIndex((text) => text.startsWith(start)));
  expect(
    found.every((index) => index >= 0),
    `${linesOf(session).join('\n')}`,
  ).toBe(true);
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(entries.map(({ id }) => id)).toEqual(entries.map((_, index) => index + 1));
});

it('repeats a run exactly, however its time is sliced', async () => {
  const more = {
    manifests: pod('web', 'exit: { after: 7s, code: 1 }'),
    actions: [
      { at: 20_000, kind: 'crash', node: 'node-1' },
      { at: 50_000, kind: 'restart', node: 'node-1' },
    ],
  } as const;
  await open(more);
  await session.advanceTo(180_000);
  const whole = linesOf(session);
  await session.stop();
  await open(more);
  while (session.now < 180_000) await session.advanceTo(Math.min(180_000, session.now + 137));
  expect(linesOf(session)).toEqual(whole);
  expect(whole.some((line) => line.includes('you |  | cut the power of node-1'))).toBe(true);
});

it('jumps back to what was, and continues as before', async () => {
  await open({ manifests: pod('web', 'exit: { after: 7s, code: 1 }') });
  await session.advanceTo(30_000);
  const then = { model: session.read(), lines: linesOf(session) };
  await session.advanceTo(120_000);
  const later = linesOf(session);
  await session.jumpTo(30_000);
  expect(session.now).toBe(30_000);
  expect({ model: session.read(), lines: linesOf(session) }).toEqual(then);
  await session.advanceTo(120_000);
  expect(linesOf(session)).toEqual(later);
});

it('adds an action at its time to the state, so that a jump back repeats it', async () => {
  await open();
  await session.advanceTo(10_000);
  await session.perform({ kind: 'kill', namespace: 'default', pod: 'web', container: 'main' });
  await session.advanceTo(20_000);
  expect(session.read().pods).toMatchObject([{ restarts: 1 }]);
  expect(session.state.actions).toEqual([{ at: 10_000, kind: 'kill', namespace: 'default', pod: 'web', container: 'main' }]);
  await session.jumpTo(5_000);
  expect(session.read().pods).toMatchObject([{ restarts: 0 }]);
  await session.advanceTo(20_000);
  expect(session.read().pods).toMatchObject([{ restarts: 1 }]);
  await session.jumpTo(5_000);
  session.dropLaterActions();
  await session.advanceTo(20_000);
  expect(session.read().pods).toMatchObject([{ restarts: 0 }]);
});

it('steps from entry to entry', async () => {
  await open();
  const count = session.entries.length;
  expect(await session.step()).toBe(true);
  expect(session.entries.length).toBeGreaterThan(count);
  expect(Number.isInteger(session.now)).toBe(true);
});

it('applies changed manifests: removes what is absent, and reports what the API server refuses', async () => {
  await open();
  await session.advanceTo(5_000);
  expect(await session.perform({ kind: 'apply', manifests: pod('other') })).toEqual([]);
  await session.advanceTo(60_000);
  expect(session.read().pods.map(({ name }) => name)).toEqual(['other']);
  const [problem] = await session.perform({ kind: 'apply', manifests: `# first\n${pod('other').replace('app:1', "''")}` });
  expect(problem).toMatchObject({ line: 8, message: expect.stringMatching(/image/) });
  expect(await session.perform({ kind: 'apply', manifests: 'a: [' })).toMatchObject([{ line: 1 }]);
});

it('reports an image that the registry does not have as a runtime does', async () => {
  await open({ manifests: pod('web').replace('app:1', 'ngnix:1') });
  await session.advanceTo(60_000);
  expect(session.read().pods).toMatchObject([{ status: expect.stringMatching(/ErrImagePull|ImagePullBackOff/), level: 'bad' }]);
  expect(linesOf(session).join('\n')).toMatch(/ngnix:1: not found/);
});

it('reports an action that is impossible', async () => {
  await open();
  expect(await session.perform({ kind: 'crash', node: 'node-9' })).toMatchObject([{ message: expect.stringMatching(/node-9/) }]);
  expect(session.entries.findLast(({ from }) => from === 'user')).toMatchObject({ warning: true, text: expect.stringContaining('node-9') });
});

it('stops between slices if it is cancelled', async () => {
  await open();
  let asked = 0;
  await session.advanceTo(3_600_000, () => ++asked > 3);
  expect(session.now).toBeLessThan(60_000);
});
