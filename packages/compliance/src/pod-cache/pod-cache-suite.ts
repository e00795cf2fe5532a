import assert from 'node:assert/strict';
import type { WritablePodCache } from '@nodeagent/api';
import type { Suite, SuiteCase } from '../suite/suite.js';
import { runtimeStatus } from '../support/runtime-objects.js';
import { follow, settle } from '../support/waiting.js';

/** A pod cache under test. */
export interface PodCacheSubject {
  /** Empty, with no generator that writes to it. */
  cache: WritablePodCache;
}

const anyRevision = Number.NEGATIVE_INFINITY;
const named = (name: string) => runtimeStatus('web', { name });

const readCases: SuiteCase<PodCacheSubject>[] = [
  {
    name: 'get returns an empty status for a pod without an entry',
    async run({ cache }) {
      assert.deepEqual(cache.get('web'), runtimeStatus('web'));
    },
  },
  {
    name: 'get returns the status that was stored last',
    async run({ cache }) {
      for (const name of ['first', 'second']) cache.set('web', named(name), undefined, cache.revision());
      assert.equal(cache.get('web').name, 'second');
      assert.equal(cache.get('db').name, '');
    },
  },
  {
    name: 'get throws the stored error each time, also beside a status, until a status is stored without one',
    async run({ cache }) {
      const error = new Error('no status');
      for (const status of [undefined, named('partial')]) {
        cache.set('web', status, error, cache.revision());
        for (let i = 0; i < 2; i++) assert.throws(() => cache.get('web'), error);
      }
      cache.set('web', named('healthy'), undefined, cache.revision());
      assert.equal(cache.get('web').name, 'healthy');
    },
  },
  {
    name: 'revision increases with each call',
    async run({ cache }) {
      let last = cache.revision();
      for (let i = 0; i < 100; i++) {
        const next = cache.revision();
        assert.ok(next > last, `${next} after ${last}`);
        last = next;
      }
    },
  },
  {
    name: 'peek and entries return the stored status or error, its revision and the revision of the last observation',
    async run({ cache }) {
      const [modified, observed] = [cache.revision(), cache.revision()];
      const [status, error] = [named('web'), new Error('partial')];
      cache.set('web', status, error, modified);
      assert.deepEqual({ ...cache.peek('web') }, { status, error, modified, observed: modified });
      cache.setObservedTime('web', observed);
      const expected = { status, error, modified, observed };
      assert.deepEqual({ ...cache.peek('web') }, expected);
      assert.deepEqual(
        [...cache.entries()].map(([uid, entry]) => [uid, { ...entry }]),
        [['web', expected]],
      );
    },
  },
  {
    name: 'delete removes the pod, and is idempotent',
    async run({ cache }) {
      cache.set('web', undefined, new Error('no status'), cache.revision());
      for (let i = 0; i < 2; i++) {
        cache.delete('web');
        assert.equal(cache.peek('web'), undefined);
        assert.deepEqual([...cache.entries()], []);
        assert.deepEqual(cache.get('web'), runtimeStatus('web'));
      }
    },
  },
];

const waitCases: SuiteCase<PodCacheSubject>[] = [
  {
    name: 'getNewerThan resolves at once with the result of an inspection that started after the revision',
    async run({ cache }) {
      const before = cache.revision();
      cache.set('web', named('seen'), undefined, cache.revision());
      const answer = follow(cache.getNewerThan('web', before));
      await settle();
      assert.equal(answer.value?.name, 'seen');
    },
  },
  {
    name: 'getNewerThan waits for an inspection that started after the revision, not for an older one',
    async run({ cache }) {
      const older = cache.revision();
      cache.set('web', named('stale'), undefined, older);
      const answer = follow(cache.getNewerThan('web', cache.revision()));
      await settle();
      assert.ok(!answer.settled, 'not from the stored status');
      cache.set('web', named('stale again'), undefined, older);
      cache.set('db', named('another pod'), undefined, cache.revision());
      await settle();
      assert.ok(!answer.settled, 'not from an older inspection or another pod');
      cache.set('web', named('fresh'), undefined, cache.revision());
      await settle();
      assert.equal(answer.value?.name, 'fresh');
    },
  },
  {
    name: 'getNewerThan minus infinity waits for the first inspection',
    async run({ cache }) {
      const answer = follow(cache.getNewerThan('web', anyRevision));
      await settle();
      assert.ok(!answer.settled);
      cache.set('web', named('first'), undefined, cache.revision());
      const later = follow(cache.getNewerThan('web', anyRevision));
      await settle();
      assert.deepEqual([answer.value?.name, later.value?.name], ['first', 'first']);
    },
  },
  {
    name: 'setObservedTime resolves readers with the stored status',
    async run({ cache }) {
      cache.set('web', named('unchanged'), undefined, cache.revision());
      const revision = cache.revision();
      const waiting = follow(cache.getNewerThan('web', revision));
      cache.setObservedTime('web', cache.revision());
      await settle();
      assert.equal(waiting.value?.name, 'unchanged');
      const later = follow(cache.getNewerThan('web', revision));
      await settle();
      assert.equal(later.value?.name, 'unchanged');
    },
  },
  {
    name: 'updateTime resolves all readers, with an empty status for a pod without an entry',
    async run({ cache }) {
      cache.set('web', named('unchanged'), undefined, cache.revision());
      const revision = cache.revision();
      const [web, db] = [follow(cache.getNewerThan('web', revision)), follow(cache.getNewerThan('db', revision))];
      cache.updateTime(cache.revision());
      await settle();
      assert.equal(web.value?.name, 'unchanged');
      assert.deepEqual(db.value, runtimeStatus('db'));
      const later = follow(cache.getNewerThan('new', revision));
      await settle();
      assert.deepEqual(later.value, runtimeStatus('new'));
    },
  },
  {
    name: 'readers of a deleted pod keep waiting',
    async run({ cache }) {
      cache.set('web', named('deleted'), undefined, cache.revision());
      const answer = follow(cache.getNewerThan('web', cache.revision()));
      cache.delete('web');
      await settle();
      assert.ok(!answer.settled);
      cache.updateTime(cache.revision());
      await settle();
      assert.deepEqual(answer.value, runtimeStatus('web'));
    },
  },
  {
    name: 'getNewerThan rejects with the error of the inspection',
    async run({ cache }) {
      const revision = cache.revision();
      const answers = [follow(cache.getNewerThan('web', revision))];
      const error = new Error('no status');
      cache.set('web', undefined, error, cache.revision());
      answers.push(follow(cache.getNewerThan('web', revision)));
      await settle();
      for (const answer of answers) assert.equal(answer.error, error);
    },
  },
  {
    name: 'getNewerThan rejects with the reason of its signal, and other readers keep waiting',
    async run({ cache }) {
      const controller = new AbortController();
      const revision = cache.revision();
      const [cancelled, other] = [
        follow(cache.getNewerThan('web', revision, controller.signal)),
        follow(cache.getNewerThan('web', revision)),
      ];
      const reason = new Error('cancelled');
      controller.abort(reason);
      await settle();
      assert.equal(cancelled.error, reason);
      assert.ok(!other.settled);
      const aborted = follow(cache.getNewerThan('web', revision, controller.signal));
      await settle();
      assert.equal(aborted.error, reason);
      cache.updateTime(cache.revision());
      await settle();
      assert.ok(other.settled);
    },
  },
  {
    name: 'onWaiting is called when a reader starts to wait, not for one that resolves at once',
    async run({ cache }) {
      const waits: [string, number][] = [];
      cache.onWaiting = (...wait) => void waits.push(wait);
      const before = cache.revision();
      cache.set('web', named('seen'), undefined, cache.revision());
      follow(cache.getNewerThan('web', before));
      await settle();
      assert.deepEqual(waits, []);
      const revision = cache.revision();
      follow(cache.getNewerThan('web', revision));
      await settle();
      assert.deepEqual(waits, [['web', revision]]);
    },
  },
];

/** The promises of `PodCache` and `PodCacheWriter` of `@nodeagent/api`. */
export const podCacheSuite: Suite<PodCacheSubject> = { name: 'PodCache', cases: [...readCases, ...waitCases] };
