import assert from 'node:assert/strict';
import { deferred, follow, settle } from '../support/waiting.js';
import { plegCase } from './subject.js';

/** Relists by a caller. */
export const relistCases = [
  plegCase('relist reports what started, died and was removed', async ({ set, relist, events }) => {
    set('web', { main: 'running', side: 'running' }, { sandboxes: { box: 'running' } });
    await relist();
    assert.deepEqual(events().sort(), ['web ContainerStarted box', 'web ContainerStarted main', 'web ContainerStarted side']);
    set('web', { main: 'exited', side: 'running' }, { sandboxes: { box: 'running' } });
    await relist();
    assert.deepEqual(events(), ['web ContainerDied main']);
    set('web', { side: 'running' }, { sandboxes: { box: 'running' } });
    await relist();
    assert.deepEqual(events(), ['web ContainerRemoved main']);
  }),

  plegCase('a running container that disappears is reported as died, then removed', async ({ set, relist, events, cache }) => {
    set('web', { main: 'running' });
    await relist();
    events();
    set('web');
    await relist();
    assert.deepEqual(events(), ['web ContainerDied main', 'web ContainerRemoved main']);
    assert.equal(cache.peek('web'), undefined);
  }),

  plegCase('relist requests no status and sends no event for unchanged pods', async ({ set, relist, events, calls }) => {
    set('web', { main: 'running' });
    await relist();
    events();
    calls.length = 0;
    await relist();
    assert.deepEqual(events(), []);
    assert.deepEqual(calls, ['getPods']);
  }),

  plegCase('the cache has the new status before the event is sent', async ({ set, relist, pleg, cached }) => {
    const seen: string[] = [];
    pleg.events.onOffer = () => void seen.push(cached('web'));
    set('web', { main: 'running' });
    await relist();
    set('web', { main: 'exited' });
    await relist();
    assert.deepEqual(seen, ['main=running', 'main=exited']);
  }),

  plegCase('relist releases the waiting readers of unchanged pods', async ({ set, relist, cache }) => {
    set('web', { main: 'running' });
    await relist();
    const revision = cache.revision();
    const readers = [follow(cache.getNewerThan('web', revision)), follow(cache.getNewerThan('unknown', revision))];
    await settle();
    assert.deepEqual(
      readers.map(({ settled }) => settled),
      [false, false],
    );
    await relist();
    await settle();
    assert.deepEqual(
      readers.map(({ value }) => value?.name),
      ['main=running', ''],
    );
  }),

  plegCase('readers wait for a relist that starts after their call', async ({ pleg, advance, behaviour, cache }) => {
    const listing = deferred();
    behaviour.getPods = () => listing.promise;
    const relist = follow(pleg.relist());
    await settle();
    const reader = follow(cache.getNewerThan('web', cache.revision()));
    listing.resolve();
    await advance(50);
    assert.ok(relist.settled);
    assert.ok(!reader.settled);
  }),

  plegCase('a failed listing changes nothing, and the next relist reports the missed changes', async (session) => {
    const { set, relist, behaviour, events, cached, cache } = session;
    set('web', { main: 'running' });
    await relist();
    events();
    const reader = follow(cache.getNewerThan('web', cache.revision()));
    set('web', { main: 'exited' });
    behaviour.getPods = () => Promise.reject(new Error('no listing'));
    await relist();
    await settle();
    assert.deepEqual(events(), []);
    assert.equal(cached('web'), 'main=running');
    assert.ok(!reader.settled);
    delete behaviour.getPods;
    await relist();
    assert.deepEqual(events(), ['web ContainerDied main']);
  }),

  plegCase('a failed status is cached, and the next relist requests it again and sends the events', async (session) => {
    const { set, relist, behaviour, events, cached } = session;
    const error = new Error('no status');
    set('web', { main: 'running' });
    behaviour.getPodStatus = () => Promise.reject(error);
    await relist();
    assert.deepEqual(events(), []);
    assert.throws(() => cached('web'), error);
    delete behaviour.getPodStatus;
    await relist();
    assert.deepEqual(events(), ['web ContainerStarted main']);
    assert.equal(cached('web'), 'main=running');
  }),

  plegCase('a terminated pod keeps its IP addresses', async ({ set, relist, cache }) => {
    set('web', { main: 'running' }, { ips: ['10.0.0.7'] });
    await relist();
    set('web', { main: 'exited' });
    await relist();
    assert.deepEqual(cache.get('web').ips, ['10.0.0.7']);
  }),

  plegCase('relists run one at a time', async ({ pleg, behaviour, calls, advance }) => {
    const listing = deferred();
    behaviour.getPods = () => listing.promise;
    const relists = [follow(pleg.relist()), follow(pleg.relist())];
    await advance(50);
    assert.deepEqual(calls, ['getPods']);
    listing.resolve();
    await advance(50);
    assert.deepEqual(calls, ['getPods', 'getPods']);
    assert.ok(relists.every(({ settled, error }) => settled && error === undefined));
  }),

  plegCase('events for a full channel are dropped', async ({ set, relist, pleg, events, cached }) => {
    const ids = Array.from({ length: pleg.events.capacity + 1 }, (_, i) => `c${i}`);
    set('web', Object.fromEntries(ids.map((id) => [id, 'running'])));
    await relist();
    assert.equal(pleg.events.size, pleg.events.capacity);
    assert.equal(events().length, pleg.events.capacity);
    assert.ok(cached('web').includes('c0=running'));
  }),

  plegCase('requestReinspect makes the next relist request the status and send PodSync', async ({ set, relist, events, pleg, calls }) => {
    set('web', { main: 'running' });
    await relist();
    events();
    calls.length = 0;
    for (const uid of ['web', 'unknown']) pleg.requestReinspect(uid);
    await relist();
    assert.deepEqual(calls, ['getPods', 'getPodStatus web']);
    assert.deepEqual(events(), ['web PodSync']);
    await relist();
    assert.deepEqual(events(), []);
  }),

  plegCase('it is unhealthy until a listing succeeds', async ({ relist, behaviour, pleg }) => {
    assert.equal(typeof pleg.unhealthyReason(), 'string');
    behaviour.getPods = () => Promise.reject(new Error('no listing'));
    await relist();
    assert.equal(typeof pleg.unhealthyReason(), 'string');
    delete behaviour.getPods;
    await relist();
    assert.equal(pleg.unhealthyReason(), undefined);
  }),
];
