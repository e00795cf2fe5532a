import assert from 'node:assert/strict';
import type { Pod, PodSource } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';
import { type Advance, eventually, settled } from '../support/waiting.js';

/** A pod source under test. */
export interface PodSourceSubject {
  /** Created, not started. It reads what the last `set` said, and no pods before the first one. */
  source: PodSource;
  /**
   * Makes these all the pods that the source reads: manifests in a folder, the answer of a URL, objects of an API server. Each has a
   * namespace, a name, a UID, a label and one container; the source may give it another name and UID, and defaults.
   */
  set(pods: readonly Pod[]): unknown;
  /** Makes what the source reads unreadable, or readable again. The capability `outage` needs it. */
  setReadable?(isReadable: boolean): unknown;
  /** Lets time pass: waits with a real clock, moves a virtual one. */
  advance: Advance;
  /** The source hands over a change within this time. Default 60 s, of which a virtual clock needs none. */
  noticesWithinMs?: number;
}

/** The parts of the contract that a source may lack: `outage`, if what it reads is always there. */
export type PodSourceCapability = 'outage';

const pod = (name: string, image = 'busybox:1'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'compliance', uid: `uid-${name}`, labels: { compliance: name } },
  spec: { containers: [{ name: 'main', image }] },
});
const describePod = ({ metadata, spec }: Pod) => `${metadata?.labels?.compliance} ${spec?.containers[0]?.image}`;
const describeList = (pods: readonly Pod[] | undefined) => pods?.map(describePod).sort().join(', ');

interface Session extends Required<Omit<PodSourceSubject, 'source'>> {
  source: PodSource;
  /** Every list that the source has handed over. */
  lists: Pod[][];
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  /** Waits until the last list handed over is this one, such as `db busybox:1, web busybox:1`. */
  untilHandedOver(list: string): Promise<void>;
  /** Lets as much time pass as the source has for noticing a change. */
  pause(): Promise<void>;
}

function open(subject: PodSourceSubject): Session {
  const { source, advance, noticesWithinMs = 60_000 } = subject;
  const lists: Pod[][] = [];
  source.onPods = (pods) => void lists.push(pods);
  return {
    setReadable: () => assert.fail('the subject has no setReadable: leave out the capability outage'),
    ...subject,
    noticesWithinMs,
    lists,
    start: (signal) => settled(advance, 'start', source.start(signal), noticesWithinMs),
    stop: () => settled(advance, 'stop', source.stop(), noticesWithinMs),
    untilHandedOver: (list) =>
      eventually(advance, `the list "${list}" is handed over`, () => describeList(lists.at(-1)) === list, noticesWithinMs),
    pause: () => advance(noticesWithinMs),
  };
}

const sourceCase = (name: string, run: (session: Session) => Promise<void>, capability?: PodSourceCapability) => ({
  name,
  ...(capability && { capability }),
  run: (subject: PodSourceSubject) => run(open(subject)),
});

/** What `PodSource` of `@nodeagent/api` promises. */
export const podSourceSuite: Suite<PodSourceSubject> = {
  name: 'PodSource',
  cases: [
    sourceCase('has a name, which stays the same', async ({ source, start, stop }) => {
      const { name } = source;
      assert.match(name, /^\S+$/);
      await start();
      assert.equal(source.name, name);
      await stop();
      assert.equal(source.name, name);
    }),

    sourceCase('hands over nothing before it is started', async ({ set, lists, pause }) => {
      await set([pod('web')]);
      await pause();
      assert.equal(lists.length, 0);
    }),

    sourceCase('hands over its pods when it has read them for the first time', async ({ set, start, untilHandedOver }) => {
      await set([pod('web'), pod('db')]);
      await start();
      await untilHandedOver('db busybox:1, web busybox:1');
    }),

    sourceCase('hands over an empty list if it has no pods', async ({ set, start, lists, untilHandedOver }) => {
      await set([]);
      await start();
      await untilHandedOver('');
      assert.deepEqual(lists.at(-1), []);
    }),

    sourceCase('hands over the complete list after each change', async ({ set, start, untilHandedOver }) => {
      await set([pod('web')]);
      await start();
      await untilHandedOver('web busybox:1');
      await set([pod('web'), pod('db')]);
      await untilHandedOver('db busybox:1, web busybox:1');
      await set([pod('web', 'busybox:2'), pod('db')]);
      await untilHandedOver('db busybox:1, web busybox:2');
      await set([pod('db')]);
      await untilHandedOver('db busybox:1');
      await set([]);
      await untilHandedOver('');
    }),

    sourceCase('hands over a pod that did not change as it was before', async ({ set, start, lists, untilHandedOver }) => {
      const web = () => lists.at(-1)?.find(({ metadata }) => metadata?.labels?.compliance === 'web');
      await set([pod('web')]);
      await start();
      await untilHandedOver('web busybox:1');
      const before = structuredClone(web());
      await set([pod('web'), pod('db')]);
      await untilHandedOver('db busybox:1, web busybox:1');
      assert.deepEqual(structuredClone(web()), before);
    }),

    sourceCase('does not change a list that it has handed over, nor its pods', async ({ set, start, lists, untilHandedOver }) => {
      await set([pod('web'), pod('db')]);
      await start();
      await untilHandedOver('db busybox:1, web busybox:1');
      const [handedOver] = lists.slice(-1);
      const before = structuredClone(handedOver);
      await set([pod('web', 'busybox:2')]);
      await untilHandedOver('web busybox:2');
      assert.deepEqual(structuredClone(handedOver), before);
    }),

    sourceCase('runs once, however often it is started', async ({ set, start, stop, lists, untilHandedOver, pause }) => {
      await set([pod('web')]);
      await start();
      await start();
      await untilHandedOver('web busybox:1');
      await stop();
      const { length } = lists;
      await set([]);
      await pause();
      assert.equal(lists.length, length, 'nothing is handed over after one stop');
    }),

    sourceCase('hands over nothing after it was stopped', async ({ set, start, stop, lists, untilHandedOver, pause }) => {
      await set([pod('web')]);
      await start();
      await untilHandedOver('web busybox:1');
      await stop();
      const { length } = lists;
      await set([pod('web'), pod('db')]);
      await pause();
      assert.equal(lists.length, length);
    }),

    sourceCase('stops as often as it is asked to, also if it was never started', async ({ start, stop }) => {
      await stop();
      await start();
      await stop();
      await stop();
    }),

    sourceCase('ends when the signal of its start aborts', async ({ set, start, lists, untilHandedOver, advance, pause }) => {
      const controller = new AbortController();
      await set([pod('web')]);
      await start(controller.signal);
      await untilHandedOver('web busybox:1');
      controller.abort(new Error('the agent ends'));
      await advance(1);
      const { length } = lists;
      await set([]);
      await pause();
      assert.equal(lists.length, length);
    }),

    sourceCase('does not start with a signal that has aborted', async ({ set, start, lists, pause }) => {
      await set([pod('web')]);
      await start(AbortSignal.abort(new Error('the agent ends'))).catch(() => {});
      await pause();
      assert.equal(lists.length, 0);
    }),

    sourceCase(
      'starts while its pods cannot be read, and hands over nothing until they can',
      async ({ set, setReadable, start, lists, pause, untilHandedOver }) => {
        await set([pod('web')]);
        await setReadable(false);
        await start();
        await pause();
        assert.equal(lists.length, 0, 'a source that could not be read counts as not heard');
        await setReadable(true);
        await untilHandedOver('web busybox:1');
      },
      'outage',
    ),

    sourceCase(
      'keeps the list while its pods can no longer be read, and then goes on',
      async ({ set, setReadable, start, lists, pause, untilHandedOver }) => {
        await set([pod('web')]);
        await start();
        await untilHandedOver('web busybox:1');
        await setReadable(false);
        await pause();
        assert.deepEqual([...new Set(lists.map(describeList))], ['web busybox:1']);
        await setReadable(true);
        await set([pod('db')]);
        await untilHandedOver('db busybox:1');
      },
      'outage',
    ),
  ],
};
