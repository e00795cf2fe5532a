import assert from 'node:assert/strict';
import type { Pod, PodSource } from '@nodeagent/api';
import type { Suite } from '../suite/suite.js';
import { type Advance, eventually, settled } from '../support/waiting.js';

/** A pod source under test. */
export interface PodSourceSubject {
  /** Created, not started. It reads the pods of the last `set`, and no pods before the first one. */
  source: PodSource;
  /**
   * Sets the pods that the source reads: manifests in a folder, the response of a URL, objects of an API server. Each has a namespace, a
   * name, a UID, a label and one container; the source may change name and UID, and add defaults.
   */
  set(pods: readonly Pod[]): unknown;
  /** Makes the source's input unreadable, or readable again. Required for the capability `outage`. */
  setReadable?(isReadable: boolean): unknown;
  /** Advances the clock: waits with a real clock, advances a virtual one. */
  advance: Advance;
  /** Maximum time until the source emits a change, in milliseconds. Default 60 s. */
  noticesWithinMs?: number;
}

/** Optional capabilities of a source: leave out `outage` if its input is always readable. */
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
  /** Every list that the source has emitted. */
  lists: Pod[][];
  start(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  /** Waits until the last emitted list is this one, such as `db busybox:1, web busybox:1`. */
  untilEmitted(list: string): Promise<void>;
  /** Advances the clock by the maximum time until a change is emitted. */
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
    untilEmitted: (list) =>
      eventually(advance, `the list "${list}" is handed over`, () => describeList(lists.at(-1)) === list, noticesWithinMs),
    pause: () => advance(noticesWithinMs),
  };
}

const sourceCase = (name: string, run: (session: Session) => Promise<void>, capability?: PodSourceCapability) => ({
  name,
  ...(capability && { capability }),
  run: (subject: PodSourceSubject) => run(open(subject)),
});

/** The promises of `PodSource` of `@nodeagent/api`. */
export const podSourceSuite: Suite<PodSourceSubject> = {
  name: 'PodSource',
  cases: [
    sourceCase('has a constant name', async ({ source, start, stop }) => {
      const { name } = source;
      assert.match(name, /^\S+$/);
      await start();
      assert.equal(source.name, name);
      await stop();
      assert.equal(source.name, name);
    }),

    sourceCase('emits nothing before it is started', async ({ set, lists, pause }) => {
      await set([pod('web')]);
      await pause();
      assert.equal(lists.length, 0);
    }),

    sourceCase('emits its pods after the first read', async ({ set, start, untilEmitted }) => {
      await set([pod('web'), pod('db')]);
      await start();
      await untilEmitted('db busybox:1, web busybox:1');
    }),

    sourceCase('emits an empty list if it has no pods', async ({ set, start, lists, untilEmitted }) => {
      await set([]);
      await start();
      await untilEmitted('');
      assert.deepEqual(lists.at(-1), []);
    }),

    sourceCase('emits the complete list after each change', async ({ set, start, untilEmitted }) => {
      await set([pod('web')]);
      await start();
      await untilEmitted('web busybox:1');
      await set([pod('web'), pod('db')]);
      await untilEmitted('db busybox:1, web busybox:1');
      await set([pod('web', 'busybox:2'), pod('db')]);
      await untilEmitted('db busybox:1, web busybox:2');
      await set([pod('db')]);
      await untilEmitted('db busybox:1');
      await set([]);
      await untilEmitted('');
    }),

    sourceCase('emits unchanged pods unchanged', async ({ set, start, lists, untilEmitted }) => {
      const web = () => lists.at(-1)?.find(({ metadata }) => metadata?.labels?.compliance === 'web');
      await set([pod('web')]);
      await start();
      await untilEmitted('web busybox:1');
      const before = structuredClone(web());
      await set([pod('web'), pod('db')]);
      await untilEmitted('db busybox:1, web busybox:1');
      assert.deepEqual(structuredClone(web()), before);
    }),

    sourceCase('does not modify an emitted list or its pods', async ({ set, start, lists, untilEmitted }) => {
      await set([pod('web'), pod('db')]);
      await start();
      await untilEmitted('db busybox:1, web busybox:1');
      const [handedOver] = lists.slice(-1);
      const before = structuredClone(handedOver);
      await set([pod('web', 'busybox:2')]);
      await untilEmitted('web busybox:2');
      assert.deepEqual(structuredClone(handedOver), before);
    }),

    sourceCase('runs once, even if it is started several times', async ({ set, start, stop, lists, untilEmitted, pause }) => {
      await set([pod('web')]);
      await start();
      await start();
      await untilEmitted('web busybox:1');
      await stop();
      const { length } = lists;
      await set([]);
      await pause();
      assert.equal(lists.length, length, 'emits nothing after one stop');
    }),

    sourceCase('emits nothing after it was stopped', async ({ set, start, stop, lists, untilEmitted, pause }) => {
      await set([pod('web')]);
      await start();
      await untilEmitted('web busybox:1');
      await stop();
      const { length } = lists;
      await set([pod('web'), pod('db')]);
      await pause();
      assert.equal(lists.length, length);
    }),

    sourceCase('stop is idempotent, also before the start', async ({ start, stop }) => {
      await stop();
      await start();
      await stop();
      await stop();
    }),

    sourceCase('stops when the signal of its start aborts', async ({ set, start, lists, untilEmitted, advance, pause }) => {
      const controller = new AbortController();
      await set([pod('web')]);
      await start(controller.signal);
      await untilEmitted('web busybox:1');
      controller.abort(new Error('the agent ends'));
      await advance(1);
      const { length } = lists;
      await set([]);
      await pause();
      assert.equal(lists.length, length);
    }),

    sourceCase('does not start with an aborted signal', async ({ set, start, lists, pause }) => {
      await set([pod('web')]);
      await start(AbortSignal.abort(new Error('the agent ends'))).catch(() => {});
      await pause();
      assert.equal(lists.length, 0);
    }),

    sourceCase(
      'starts while its input is unreadable, and emits nothing until it is readable',
      async ({ set, setReadable, start, lists, pause, untilEmitted }) => {
        await set([pod('web')]);
        await setReadable(false);
        await start();
        await pause();
        assert.equal(lists.length, 0, 'a source that has not been read has not reported');
        await setReadable(true);
        await untilEmitted('web busybox:1');
      },
      'outage',
    ),

    sourceCase(
      'keeps the list while its input is unreadable, and then continues',
      async ({ set, setReadable, start, lists, pause, untilEmitted }) => {
        await set([pod('web')]);
        await start();
        await untilEmitted('web busybox:1');
        await setReadable(false);
        await pause();
        assert.deepEqual([...new Set(lists.map(describeList))], ['web busybox:1']);
        await setReadable(true);
        await set([pod('db')]);
        await untilEmitted('db busybox:1');
      },
      'outage',
    ),
  ],
};
