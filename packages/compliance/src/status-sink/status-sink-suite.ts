import assert from 'node:assert/strict';
import type { Pod, PodStatus, StatusSink } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';
import { type Advance, eventually, settled } from '../support/waiting.js';
import { createMemoryStatuses, type MemoryStatuses } from './memory-statuses.js';

/** A status sink under test, and its destination. */
export interface StatusSinkSubject {
  /** Created, not started. */
  sink: StatusSink;
  /** Adds the pod, without a status, to the destination and the node. */
  addPod(pod: Pod): unknown;
  /** The pod's status at the destination; undefined if none was written. Phase and message are compared. */
  carried(podUid: string): PodStatus | undefined;
  /** Makes the destination unreachable, or reachable again. Required for the capability `outage`. */
  setReachable?(isReachable: boolean): unknown;
  /** The clock's time in milliseconds since 1970. */
  now(): number;
  /** Advances the clock: waits with a real clock, advances a virtual one. */
  advance: Advance;
  /** Maximum time until the sink writes a status, also after an outage, in milliseconds. Default 120 s. */
  carriesWithinMs?: number;
}

/** Optional capabilities of a sink: leave out `outage` if its destination is always reachable. */
export type StatusSinkCapability = 'outage';

interface Session extends Required<Omit<StatusSinkSubject, 'addPod' | 'carried'>> {
  statuses: MemoryStatuses;
  /** Stores the pod's next status, with the text as its message, and notifies the sink. */
  change(podName: string, message: string): void;
  /** Stores it without notifying the sink. */
  store(podName: string, message: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  carried(podName: string): string | undefined;
  untilCarried(podName: string, message: string): Promise<void>;
  /** Advances the clock by the maximum time until a status is written. */
  pause(): Promise<void>;
}

const pods: Pod[] = ['web', 'db'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'compliance', uid: name },
  spec: { containers: [{ name: 'main', image: 'busybox:1' }] },
}));

async function open(subject: StatusSinkSubject): Promise<Session> {
  const { sink, advance, now, carriesWithinMs = 120_000 } = subject;
  const statuses = createMemoryStatuses(now);
  for (const pod of pods) await subject.addPod(pod);
  const store: Session['store'] = (podName, message) =>
    statuses.set(podName, { phase: 'Running', message, startTime: '2026-01-01T00:00:00Z' });
  const carried = (podName: string) => subject.carried(podName)?.message;
  return {
    setReachable: () => assert.fail('the subject has no setReachable: leave out the capability outage'),
    ...subject,
    carriesWithinMs,
    statuses,
    store,
    change(podName, message) {
      store(podName, message);
      assert.equal(sink.statusChanged(podName), undefined);
    },
    start: () => settled(advance, 'start', sink.start(statuses), carriesWithinMs),
    stop: () => settled(advance, 'stop', sink.stop(), carriesWithinMs),
    carried,
    async untilCarried(podName, message) {
      await eventually(advance, `the status "${message}" is carried`, () => carried(podName) === message, carriesWithinMs);
      assert.equal(subject.carried(podName)?.phase, 'Running');
    },
    pause: () => advance(carriesWithinMs),
  };
}

const sinkCase = (name: string, run: (session: Session) => Promise<void>, capability?: StatusSinkCapability) => ({
  name,
  ...(capability && { capability }),
  run: async (subject: StatusSinkSubject) => run(await open(subject)),
});

/** The promises of `StatusSink` of `@nodeagent/api`. */
export const statusSinkSuite: Suite<StatusSinkSubject> = {
  name: 'StatusSink',
  cases: [
    sinkCase('writes nothing before it is started', async ({ store, carried, pause }) => {
      store('web', 'first');
      await pause();
      assert.equal(carried('web'), undefined);
    }),

    sinkCase('writes the existing statuses at its start', async ({ store, start, untilCarried }) => {
      store('web', 'first of web');
      store('db', 'first of db');
      await start();
      await untilCarried('web', 'first of web');
      await untilCarried('db', 'first of db');
    }),

    sinkCase('writes each later change', async ({ change, start, carried, untilCarried }) => {
      await start();
      change('web', 'first');
      await untilCarried('web', 'first');
      change('web', 'second');
      await untilCarried('web', 'second');
      assert.equal(carried('db'), undefined, 'a pod without a status');
    }),

    sinkCase('writes the newest status of a pod last', async ({ change, start, carried, untilCarried, pause }) => {
      await start();
      for (let version = 1; version <= 20; version++) change('web', `version ${version}`);
      await untilCarried('web', 'version 20');
      await pause();
      assert.equal(carried('web'), 'version 20');
    }),

    sinkCase('accepts a notification for any pod without waiting', async ({ sink, start, change, untilCarried }) => {
      await start();
      assert.equal(sink.statusChanged('unknown'), undefined);
      change('web', 'first');
      await untilCarried('web', 'first');
    }),

    sinkCase('does not write during the notification', async ({ start, change, carried }) => {
      await start();
      change('web', 'first');
      assert.equal(carried('web'), undefined, 'statusChanged marks work to be done');
    }),

    sinkCase('modifies neither entries nor statuses of present pods', async ({ statuses, change, start, untilCarried, pause }) => {
      await start();
      change('web', 'first');
      await untilCarried('web', 'first');
      change('web', 'second');
      await untilCarried('web', 'second');
      await pause();
      assert.equal(statuses.versionedStatus('web')?.version, 2);
      assert.deepEqual(statuses.forgotten, []);
    }),

    sinkCase('writes nothing after it has stopped', async ({ store, change, start, stop, carried, untilCarried, pause }) => {
      await start();
      change('web', 'first');
      await untilCarried('web', 'first');
      change('web', 'second');
      await stop();
      const last = carried('web');
      assert.match(last ?? '', /^(first|second)$/, 'what is in flight may still arrive before the end');
      store('web', 'third');
      store('db', 'first of db');
      await pause();
      assert.deepEqual([carried('web'), carried('db')], [last, undefined]);
    }),

    sinkCase('start and stop are idempotent', async ({ store, change, start, stop, carried, untilCarried, pause }) => {
      await stop();
      await start();
      await start();
      change('web', 'first');
      await untilCarried('web', 'first');
      await stop();
      await stop();
      store('web', 'second');
      await pause();
      assert.equal(carried('web'), 'first');
    }),

    sinkCase(
      'starts while its destination is unreachable, and writes all changes when it is reachable',
      async ({ setReachable, store, start, change, carried, untilCarried, advance }) => {
        store('web', 'first of web');
        await setReachable(false);
        await start();
        change('db', 'first of db');
        await advance(1_000);
        change('db', 'second of db');
        assert.deepEqual([carried('web'), carried('db')], [undefined, undefined]);
        await setReachable(true);
        await untilCarried('web', 'first of web');
        await untilCarried('db', 'second of db');
      },
      'outage',
    ),

    sinkCase(
      'stops while its destination is unreachable',
      async ({ setReachable, start, change, stop, advance }) => {
        await setReachable(false);
        await start();
        change('web', 'first');
        await advance(1_000);
        await stop();
      },
      'outage',
    ),
  ],
};
