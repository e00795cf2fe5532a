import assert from 'node:assert/strict';
import type { PodReference, Summary, SummarySource } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';
import type { SuiteCase } from '../suite/suite.js';
import { type Advance, settled } from '../support/waiting.js';

/** A summary source under test, and its node with at least one pod with a running container. */
export interface SummarySourceSubject {
  stats: SummarySource;
  nodeName: string;
  /** A running container of a pod. */
  container: { pod: PodReference; name: string };
  /** Sets the memory working set of that container. */
  use(workingSetBytes: bigint): unknown;
  /** Makes a required dependency of the source fail, or work again. Required for the capability `failures`. */
  setFailing?(isFailing: boolean): unknown;
  /** Advances the clock: waits with a real clock, advances a virtual one. */
  advance: Advance;
  /** Maximum duration of a measurement in milliseconds. Default 30 s. */
  measuresWithinMs?: number;
}

/** Optional capabilities of a source: leave out `failures` if it has no dependency that can fail. */
export type StatsCapability = 'failures';

const MiB = 1n << 20n;

/** Waits for a call of the source, advancing the clock. */
export function within<T>({ advance, measuresWithinMs = 30_000 }: SummarySourceSubject, call: Promise<T>): Promise<T> {
  return settled(advance, 'the call', call, measuresWithinMs);
}

const fresh = (subject: SummarySourceSubject) => within(subject, subject.stats.summary({ fresh: true, signal: never() }));

/** A signal that never aborts. */
export const never = (): AbortSignal => new AbortController().signal;

function workingSet(summary: Summary, { container: { pod, name } }: SummarySourceSubject): bigint | undefined {
  const stats = summary.pods.find(({ podRef }) => podRef.uid === pod.uid);
  return stats?.containers.find((each) => each.name === name)?.memory?.workingSetBytes;
}

/** The promises of `SummarySource` of `@nodeagent/api`. */
export const summaryCases: readonly SuiteCase<SummarySourceSubject>[] = [
  {
    name: 'has the name and boot time of the node',
    async run(subject) {
      const { node } = await fresh(subject);
      assert.equal(node.nodeName, subject.nodeName);
      assert.notEqual(parseTime(node.startTime), undefined, `startTime ${node.startTime}`);
    },
  },
  {
    name: 'has each pod once, with its running containers',
    async run(subject) {
      const { pods } = await fresh(subject);
      const { pod, name } = subject.container;
      const found = pods.filter(({ podRef }) => podRef.uid === pod.uid);
      assert.deepEqual(
        found.map(({ podRef }) => ({ ...podRef })),
        [{ ...pod }],
      );
      assert.equal(found[0]?.containers.filter((each) => each.name === name).length, 1);
    },
  },
  {
    name: 'has numbers of bytes, inodes and CPU time as bigint, and times as text',
    async run(subject) {
      await subject.use(7n * MiB);
      checkNumbers(await fresh(subject), 'summary');
    },
  },
  {
    name: 'measures on a request for fresh stats',
    async run(subject) {
      for (const bytes of [5n * MiB, 9n * MiB, 3n * MiB]) {
        await subject.use(bytes);
        assert.equal(workingSet(await fresh(subject), subject), bytes);
      }
    },
  },
  {
    name: 'may return cached stats unless fresh ones are requested',
    async run(subject) {
      const { stats } = subject;
      await subject.use(5n * MiB);
      await fresh(subject);
      await subject.use(9n * MiB);
      const any = workingSet(await within(subject, stats.summary({ fresh: false, signal: never() })), subject);
      assert.ok(any === 5n * MiB || any === 9n * MiB, `${any}`);
    },
  },
  {
    name: 'does not change a returned summary',
    async run(subject) {
      await subject.use(5n * MiB);
      const first = await fresh(subject);
      const copy = structuredClone(first);
      await subject.use(9n * MiB);
      await fresh(subject);
      assert.deepEqual(structuredClone(first), copy);
    },
  },
  {
    name: 'rejects with the reason of an aborted signal',
    async run(subject) {
      await rejectsWithReason(subject, (signal) => subject.stats.summary({ fresh: true, signal }));
    },
  },
  {
    name: 'resolves concurrent calls, also if one of them is aborted',
    async run(subject) {
      const { stats } = subject;
      await subject.use(5n * MiB);
      const controller = new AbortController();
      const aborted = stats.summary({ fresh: true, signal: controller.signal });
      aborted.catch(() => {});
      const waiting = [1, 2].map(() => stats.summary({ fresh: true, signal: never() }));
      controller.abort(new Error('given up'));
      for (const summary of await within(subject, Promise.all(waiting))) assert.equal(workingSet(summary, subject), 5n * MiB);
    },
  },
  {
    name: 'rejects while a required part fails, and measures after it recovers',
    capability: 'failures',
    async run(subject) {
      await subject.setFailing?.(true);
      await assert.rejects(fresh(subject));
      await subject.setFailing?.(false);
      await subject.use(5n * MiB);
      assert.equal(workingSet(await fresh(subject), subject), 5n * MiB);
    },
  },
];

/** Checks a call whose signal aborts before it, and one whose signal aborts while it runs. */
export async function rejectsWithReason(subject: SummarySourceSubject, call: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const reason = new Error('given up');
  const rejectsWith = async (promise: Promise<unknown>, when: string) => {
    const error = await within(subject, promise).then(
      () => assert.fail(`resolves though its signal aborted ${when}`),
      (rejection: unknown) => rejection,
    );
    assert.equal(error, reason, when);
  };
  await rejectsWith(call(AbortSignal.abort(reason)), 'before the call');
  const controller = new AbortController();
  const running = call(controller.signal);
  controller.abort(reason);
  await rejectsWith(running, 'during the call');
}

/** Checks the types of all fields of a summary, by the names of the Summary API. */
function checkNumbers(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, field] of Object.entries(value)) {
    const at = `${path}.${key}`;
    if (field === undefined) continue;
    if (/^inodes|Bytes$|NanoCores$|NanoSeconds$|^(maxpid|curproc|process_count|total)$/.test(key)) assert.equal(typeof field, 'bigint', at);
    else if (/^(time|startTime)$/.test(key)) assert.notEqual(parseTime(field as string), undefined, at);
    else checkNumbers(field, at);
  }
}
