import assert from 'node:assert/strict';
import type { Pod, PodStatus, StatusSink } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';
import { type Advance, eventually, settled } from '../support/waiting.js';
import { createMemoryStatuses, type MemoryStatuses } from './memory-statuses.js';

/** A status sink under test, and the destination that it carries statuses to. */
export interface StatusSinkSubject {
  /** Created, not started. */
  sink: StatusSink;
  /** Makes the pod known wherever the sink looks for it: at the destination, among the pods of the node. It has no status yet. */
  addPod(pod: Pod): unknown;
  /** The status that the destination has of the pod; undefined if none was carried. Phase and message are compared. */
  carried(podUid: string): PodStatus | undefined;
  /** Makes the destination unreachable, or reachable again. The capability `outage` needs it. */
  setReachable?(isReachable: boolean): unknown;
  /** The clock's time in milliseconds since 1970. */
  now(): number;
  /** Lets time pass: waits with a real clock, moves a virtual one. */
  advance: Advance;
  /** The sink carries a status within this time, also after an outage. Default 120 s, of which a virtual clock needs none. */
  carriesWithinMs?: number;
}

/** The parts of the contract that a sink may lack: `outage`, if its destination is always there. */
export type StatusSinkCapability = 'outage';

interface Session extends Required<Omit<StatusSinkSubject, 'addPod' | 'carried'>> {
  statuses: MemoryStatuses;
  /** Stores the pod's next status, whose message is the text, and tells the sink. */
  change(podName: string, message: string): void;
  /** Stores it without telling the sink. */
  store(podName: string, message: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  carried(podName: string): string | undefined;
  untilCarried(podName: string, message: string): Promise<void>;
  /** Lets as much time pass as the sink has for carrying a status. */
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

/** What `StatusSink` of `@nodeagent/api` promises. */
export const statusSinkSuite: Suite<StatusSinkSubject> = {
  name: 'StatusSink',
  cases: [
    sinkCase('carries nothing before it is started', async ({ store, carried, pause }) => {
      store('web', 'first');
      await pause();
      assert.equal(carried('web'), undefined);
    }),

    sinkCase('carries the statuses that there are at its start', async ({ store, start, untilCarried }) => {
      store('web', 'first of web');
      store('db', 'first of db');
      await start();
      await untilCarried('web', 'first of web');
      await untilCarried('db', 'first of db');
    }),

    sinkCase('carries each status that changes later', async ({ change, start, carried, untilCarried }) => {
      await start();
      change('web', 'first');
      await untilCarried('web', 'first');
      change('web', 'second');
      await untilCarried('web', 'second');
      assert.equal(carried('db'), undefined, 'a pod without a status');
    }),

    sinkCase('carries the newest status of a pod last', async ({ change, start, carried, untilCarried, pause }) => {
      await start();
      for (let version = 1; version <= 20; version++) change('web', `version ${version}`);
      await untilCarried('web', 'version 20');
      await pause();
      assert.equal(carried('web'), 'version 20');
    }),

    sinkCase('is told at once, whatever is known of the pod', async ({ sink, start, change, untilCarried }) => {
      await start();
      assert.equal(sink.statusChanged('unknown'), undefined);
      change('web', 'first');
      await untilCarried('web', 'first');
    }),

    sinkCase('carries nothing at the moment it is told', async ({ start, change, carried }) => {
      await start();
      change('web', 'first');
      assert.equal(carried('web'), undefined, 'statusChanged marks work to be done');
    }),

    sinkCase(
      'leaves the entries and the statuses of present pods as they are',
      async ({ statuses, change, start, untilCarried, pause }) => {
        await start();
        change('web', 'first');
        await untilCarried('web', 'first');
        change('web', 'second');
        await untilCarried('web', 'second');
        await pause();
        assert.equal(statuses.versionedStatus('web')?.version, 2);
        assert.deepEqual(statuses.forgotten, []);
      },
    ),

    sinkCase('carries nothing after it has stopped', async ({ store, change, start, stop, carried, untilCarried, pause }) => {
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

    sinkCase('starts once, and stops as often as it is asked to', async ({ store, change, start, stop, carried, untilCarried, pause }) => {
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
      'starts and takes changes while its destination is away, and catches up when it is back',
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
      'stops while its destination is away',
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
