import assert from 'node:assert/strict';
import { eventually, settled } from '../support/waiting.js';
import { type PlegSession, plegCase } from './subject.js';

/** Maximum period of a full relist of a started generator, with or without runtime events. */
const relistLimitMs = 600_000;
/** Less than the period of relists without runtime events. */
const promptlyMs = 500;

const started = async ({ pleg, advance, calls, events }: PlegSession, signal?: AbortSignal) => {
  for (let i = 0; i < 2; i++) await settled(advance, 'start resolves', pleg.start(signal));
  await eventually(advance, 'the first relist', () => calls.includes('getPods') && pleg.unhealthyReason() === undefined);
  events();
};

/** A started generator. */
export const runningCases = [
  plegCase('it does nothing before it is started', async ({ calls, advance }) => {
    await advance(promptlyMs);
    assert.deepEqual(calls, []);
  }),

  plegCase('once started it reports changes', async (session) => {
    await started(session);
    session.set('web', { main: 'running' });
    const found: string[] = [];
    await eventually(session.advance, 'the event', () => found.push(...session.events()) > 0, relistLimitMs);
    assert.deepEqual(found, ['web ContainerStarted main']);
  }),

  plegCase('it stops, and stop is idempotent', async (session) => {
    const { pleg, advance, calls } = session;
    await started(session);
    for (let i = 0; i < 2; i++) await settled(advance, 'stop resolves', pleg.stop());
    calls.length = 0;
    await advance(relistLimitMs);
    assert.deepEqual(calls, []);
  }),

  plegCase('it stops when the signal of its start aborts', async (session) => {
    const controller = new AbortController();
    await started(session, controller.signal);
    controller.abort(new Error('the agent ends'));
    await session.advance(promptlyMs);
    session.calls.length = 0;
    await session.advance(relistLimitMs);
    assert.deepEqual(session.calls, []);
  }),

  plegCase('requestRelist does not wait, and its pod is inspected at once', async (session) => {
    const { pleg, set, advance, events, cached } = session;
    await started(session);
    set('web', { main: 'running' });
    pleg.requestRelist('web');
    const found: string[] = [];
    await eventually(advance, 'the event', () => found.push(...events()) > 0, promptlyMs);
    assert.deepEqual(found, ['web ContainerStarted main']);
    assert.equal(cached('web'), 'main=running');
  }),

  plegCase('requestRelist releases the waiting readers of its pod', async (session) => {
    const { pleg, cache, set, advance } = session;
    set('web', { main: 'running' });
    await started(session);
    const reader = cache.getNewerThan('web', cache.revision());
    pleg.requestRelist('web');
    assert.equal((await settled(advance, 'the reader is answered', reader, promptlyMs)).name, 'main=running');
  }),
];
