import assert from 'node:assert/strict';
import { suitePod } from '../support/pods.js';
import { runtimeStatus } from '../support/runtime-objects.js';
import { deferred, eventually, settle, settled } from '../support/waiting.js';
import { retryLimitMs, workersCase } from './subject.js';

const web = suitePod('web');
const db = suitePod('db');
const labelled = (name: string, version: string) => suitePod(name, { metadata: { labels: { version } } });

/** Syncs of running pods. */
export const syncCases = [
  workersCase('a sync gets the update type, the pod and the cached status', async ({ workers, calls, cache, untilStep }) => {
    const status = runtimeStatus('uid-web', { ips: ['10.0.0.7'] });
    cache.answer = async () => status;
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    assert.equal(calls[0]?.type, 'create');
    assert.deepEqual(calls[0]?.pod, web);
    assert.deepEqual(calls[0]?.status, status);
    assert.equal(calls[0]?.signal?.aborted, false);
  }),

  workersCase('updatePod does not wait, and pods are synced concurrently', async ({ workers, behaviour, untilStep, calls }) => {
    const hanging = deferred<undefined>();
    behaviour.sync = ({ uid }) => (uid === 'uid-web' ? hanging.promise : Promise.resolve(undefined));
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    workers.updatePod({ type: 'update', pod: web });
    workers.updatePod({ type: 'create', pod: db });
    await untilStep('sync uid-db');
    assert.equal(calls.length, 2);
    hanging.resolve(undefined);
    await untilStep('sync uid-web', 2);
  }),

  workersCase('a pod has one sync at a time, and the latest update wins', async ({ workers, behaviour, calls, untilStep, advance }) => {
    const first = deferred<undefined>();
    let [running, most] = [0, 0];
    behaviour.sync = async () => {
      most = Math.max(most, ++running);
      await first.promise;
      running--;
      return undefined;
    };
    workers.updatePod({ type: 'create', pod: labelled('web', 'v1') });
    await untilStep('sync uid-web');
    for (const version of ['v2', 'v3', 'v4']) workers.updatePod({ type: 'update', pod: labelled('web', version) });
    await advance(50);
    assert.equal(calls.length, 1);
    first.resolve(undefined);
    await untilStep('sync uid-web', 2);
    await advance(50);
    assert.deepEqual(
      calls.map(({ type, pod }) => `${type} ${pod?.metadata?.labels?.version}`),
      ['create v1', 'update v4'],
    );
    assert.equal(most, 1);
  }),

  workersCase(
    'after a sync that changed the pod, the next one waits for a newer status',
    async ({ workers, behaviour, cache, ...session }) => {
      behaviour.sync = async () => ({ changed: true });
      workers.updatePod({ type: 'create', pod: web });
      await session.untilStep('sync uid-web');
      await settle();
      const ended = cache.revision();
      const status = deferred<ReturnType<typeof runtimeStatus>>();
      cache.answer = () => status.promise;
      const asked = cache.asked.length;
      workers.updatePod({ type: 'update', pod: web });
      await eventually(session.advance, 'the worker asks the cache', () => cache.asked.length > asked, retryLimitMs);
      const { revision = Number.NaN } = cache.asked[asked] ?? {};
      assert.ok(revision > 0 && revision <= ended, 'asked for a status from after the end of the sync');
      assert.equal(session.calls.length, 1);
      status.resolve(runtimeStatus('uid-web'));
      await session.untilStep('sync uid-web', 2);
    },
  ),

  workersCase('a sync that rejects, or resolves with an error, is retried', async ({ workers, behaviour, calls, untilStep }) => {
    const failures = [() => Promise.reject(new Error('rejected')), async () => ({ error: new Error('resolved') })];
    behaviour.sync = () => failures.shift()?.() ?? Promise.resolve(undefined);
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web', 3);
    assert.deepEqual(calls.at(-1)?.pod, web);
  }),

  workersCase('an unavailable status fails the sync, which is retried', async ({ workers, cache, calls, untilStep }) => {
    const failures = [new Error('no status')];
    cache.answer = async (uid) => {
      const error = failures.shift();
      if (error) throw error;
      return runtimeStatus(uid);
    };
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    assert.equal(calls.length, 1);
    assert.equal(cache.asked.length, 2);
  }),

  workersCase('state and explain report the state of a pod, and undefined for an unknown one', async ({ workers, untilStep }) => {
    assert.equal(workers.state('uid-web'), undefined);
    assert.equal(workers.explain('uid-web'), undefined);
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    assert.equal(workers.state('uid-web'), 'SyncPod');
    const { fullName, state, finished, summary } = workers.explain('uid-web') ?? {};
    assert.deepEqual([fullName, state, finished], ['web_compliance', 'SyncPod', false]);
    assert.ok(summary, 'a summary');
  }),

  workersCase(
    'stop cancels and waits for syncs, and later updates are ignored',
    async ({ workers, behaviour, calls, untilStep, advance }) => {
      let ended = false;
      behaviour.sync = async ({ signal }) => {
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        await settle();
        ended = true;
        return undefined;
      };
      workers.updatePod({ type: 'create', pod: web });
      await untilStep('sync uid-web');
      await settled(advance, 'stop resolves', workers.stop(), retryLimitMs);
      assert.ok(ended, 'the sync has ended');
      await settled(advance, 'a second stop resolves', workers.stop(), retryLimitMs);
      workers.updatePod({ type: 'update', pod: web });
      workers.updatePod({ type: 'create', pod: db });
      await advance(retryLimitMs);
      assert.equal(calls.length, 1);
    },
  ),
];
