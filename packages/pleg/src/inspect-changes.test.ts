import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, expect, it } from 'vitest';
import type { EventedPleg } from './evented-pleg.js';
import { setUpEvented } from './test-harness.js';

const running: EventedPleg[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((pleg) => pleg.stop()));
});

async function setUp() {
  const set = setUpEvented(createVirtualClock(), { inspectable: true });
  running.push(set.pleg);
  await set.settled();
  return set;
}

const sandboxOf = (uid: string) => ({ podSandboxStatus: { id: `${uid}/sandbox`, metadata: { uid } } });

it('reads only the container that an event names', async () => {
  const { fake, clock, cached, take } = await setUp();
  fake.change('a/c', 'running');
  fake.sendEvent('a/c', 'running', sandboxOf('a'));
  await clock.advance(1_001);
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/c']);
  fake.change('a/d', 'running');
  fake.sendEvent('a/d', 'running', sandboxOf('a'));
  await clock.advance(1_001);
  fake.changeAndSend('a/c', 'exited');
  await clock.settle();
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/d', 'inspectChanges a a/c']);
  expect(cached('a')).toBe('a/c=exited a/d=running');
  expect(take()).toEqual(['a ContainerStarted a/c', 'a ContainerStarted a/d', 'a ContainerDied a/c']);
});

it('reads what the agent has changed when the worker requests it, once for all calls and their events', async () => {
  const { fake, clock, pleg, cached } = await setUp();
  fake.report({ podUid: 'a', id: 'a/sandbox', podSandboxId: 'a/sandbox' });
  fake.change('a/c', 'created');
  fake.report({ podUid: 'a', id: 'a/c', podSandboxId: 'a/sandbox' });
  fake.report({ id: 'a/c' });
  fake.changeAndSend('a/c', 'running');
  fake.report({ id: 'a/c' });
  await clock.settle();
  expect(fake.takeCalls()).toEqual([]);
  pleg.requestRelist('a');
  await clock.settle();
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/sandbox a/c']);
  expect(cached('a')).toBe('a/c=running');
  fake.sendEvent('a/c', 'running');
  await clock.advance(60_000);
  expect(fake.takeCalls()).toEqual([]);
});

const sandboxStatus = { id: 'a/sandbox', attempt: 0, state: 'ready', createdAt: 1n, networkMode: 'POD', runtimeHandler: '' } as const;
const answered = { podUid: 'a', id: 'a/sandbox', podSandboxId: 'a/sandbox' };
const sandbox = { uid: 'a', name: 'a', namespace: 'default', status: sandboxStatus };

it('uses what the runtime answered about a sandbox, despite events of its creation and start', async () => {
  const { fake, clock, pleg } = await setUp();
  fake.report(answered);
  fake.report({ ...answered, sandbox });
  fake.change('a/c', 'running');
  fake.report({ podUid: 'a', id: 'a/c', podSandboxId: 'a/sandbox' });
  fake.sendEvent('a/sandbox', 'running', sandboxOf('a'));
  await clock.settle();
  pleg.requestRelist('a');
  await clock.settle();
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/sandbox=known a/c']);
});

it.each([
  ['an event of its end', async ({ fake }: Awaited<ReturnType<typeof setUp>>) => fake.sendEvent('a/sandbox', 'exited', sandboxOf('a'))],
  ['a later call of the agent', async ({ fake }: Awaited<ReturnType<typeof setUp>>) => fake.report(answered)],
])('reads a sandbox again after %s', async (_, change) => {
  const set = await setUp();
  const { fake, clock, pleg } = set;
  fake.change('a/c', 'running');
  fake.report({ ...answered, sandbox });
  fake.report({ podUid: 'a', id: 'a/c', podSandboxId: 'a/sandbox' });
  await change(set);
  await clock.settle();
  pleg.requestRelist('a');
  await clock.settle();
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/sandbox a/c']);
});

it('reads it after a second without a request, as after a failed sync', async () => {
  const { fake, clock, cached } = await setUp();
  fake.change('a/c', 'created');
  fake.report({ podUid: 'a', id: 'a/c', podSandboxId: 'a/sandbox' });
  await clock.advance(1_001);
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/c']);
  expect(cached('a')).toBe('a/c=created');
});

it('gives a waiting reader a status from after the changes', async () => {
  const { fake, clock, cache, cached } = await setUp();
  fake.changeAndSend('a/c', 'running');
  await clock.advance(1_001);
  fake.takeCalls();
  fake.report({ id: 'a/c' });
  fake.changeAndSend('a/c', 'exited');
  fake.report({ id: 'a/c' });
  const reader = cache.getNewerThan('a', cache.revision());
  await clock.settle();
  expect((await reader).name).toBe('a/c=exited');
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/c']);
  expect(cached('a')).toBe('a/c=exited');
});

it('reads nothing for a confirmed removal', async () => {
  const { fake, clock, cached, take } = await setUp();
  fake.changeAndSend('a/c', 'exited');
  await clock.advance(1_001);
  take();
  fake.takeCalls();
  fake.change('a/c', 'removed');
  fake.report({ id: 'a/c', removed: true });
  await clock.advance(1_001);
  expect(fake.takeCalls()).toEqual(['inspectChanges a -a/c']);
  expect(cached('a')).toBeUndefined();
  expect(take()).toEqual(['a ContainerRemoved a/c']);
});

it.each([
  ['it is unknown what a failed call has created', { podUid: 'a' }],
  ['the sandbox of a new container is unknown', { podUid: 'a', id: 'a/new' }],
])('reads the whole pod if %s', async (_, change) => {
  const { fake, clock } = await setUp();
  fake.changeAndSend('a/c', 'running');
  await clock.advance(1_001);
  fake.takeCalls();
  fake.change('a/new', 'running');
  fake.report(change);
  await clock.advance(1_001);
  expect(fake.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
});

it('reads the whole pod after a failed read', async () => {
  const { fake, clock, cached } = await setUp();
  fake.changeAndSend('a/c', 'running');
  await clock.advance(1_001);
  fake.takeCalls();
  fake.intercept = async (call) => {
    if (call.startsWith('inspectChanges')) throw new Error('the runtime restarts');
  };
  fake.changeAndSend('a/c', 'exited');
  await clock.advance(1_001);
  expect(fake.takeCalls()).toEqual(['inspectChanges a a/c', 'getPod a', 'getPodStatus a']);
  expect(cached('a')).toBe('a/c=exited');
});

it('reads whole pods without an event stream', async () => {
  const { fake, clock, pleg } = await setUp();
  fake.connect = () => Promise.reject(Object.assign(new Error('unavailable'), { code: 'CRI_UNAVAILABLE' }));
  fake.endStreams(new Error('unavailable'));
  await clock.advance(30_000);
  expect(pleg.mode()).toBe('generic');
  fake.takeCalls();
  fake.change('a/c', 'running');
  fake.report({ podUid: 'a', id: 'a/c', podSandboxId: 'a/sandbox' });
  pleg.requestRelist('a');
  await clock.settle();
  expect(fake.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
});
