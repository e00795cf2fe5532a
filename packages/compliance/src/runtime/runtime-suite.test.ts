import type { RuntimePod } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { runSuite } from '../suite/run-suite.js';
import { failedCases, type Mutation, mutate } from '../support/test-failed-cases.js';
import { runtimeSuite } from './runtime-suite.js';
import type { RuntimeSubject } from './subject.js';
import { createTestRuntime, type TestImage } from './test-runtime.js';

type TestRuntime = ReturnType<typeof createTestRuntime>;

const images: Record<string, TestImage> = {
  succeeds: { exitCode: 0 },
  fails: { exitCode: 3 },
  'ignores-stop': { ignoresStop: true },
  'cannot-start': { cannotStart: true },
};
const without = ['ResizableRuntime', 'StreamingRuntime'];

function setUp(mutation: Mutation<TestRuntime> = () => ({})): { subject: RuntimeSubject } {
  const clock = createVirtualClock();
  const runtime = mutate(createTestRuntime({ clock, image: (name) => images[name] ?? {} }), mutation);
  return { subject: { runtime, container: (kind) => ({ image: kind }), advance: clock.advance } };
}

describe('a runtime of records keeps the promises of a', () => {
  defineSuite({ describe, it }, runtimeSuite, () => setUp(), { without });
});

describe('the runtime suite', () => {
  it.each<[string, Mutation<TestRuntime>, RegExp]>([
    ['restarts nothing', ({ syncPod }) => ({ syncPod: once(syncPod) }), /is restarted/],
    [
      'restarts everything',
      ({ syncPod }) => ({
        syncPod: (pod, ...rest) => syncPod({ ...pod, spec: { containers: [], ...pod.spec, restartPolicy: 'Always' } }, ...rest),
      }),
      /never restarts it/,
    ],
    [
      'rejects',
      ({ syncPod }) => ({
        async syncPod(...sync) {
          const result = await syncPod(...sync);
          for (const { error } of result.results) if (error) throw error;
          return result;
        },
      }),
      /cannot start/,
    ],
    [
      'reports no errors',
      ({ syncPod }) => ({ syncPod: async (...sync) => ({ ...(await syncPod(...sync)), results: [] }) }),
      /cannot start/,
    ],
    ['does not kill', () => ({ killPod: async () => ({ results: [] }) }), /killPod stops the containers/],
    [
      'kills all pods of an unknown one',
      ({ killPod, getPods }) => ({
        killPod: async (pod, running, grace) => {
          for (const each of pod ? [running] : await getPods(true)) await killPod(pod, each, grace);
          return { results: [] };
        },
      }),
      /only the runtime knows/,
    ],
    ['lists less', ({ getPods }) => ({ getPods: () => getPods(false) }), /killPod stops the containers/],
    ['hands out its own lists', ({ getPods }) => ({ getPods: always(getPods) }), /copies of the caller/],
    [
      'collects too much',
      (_, mutated) => ({ garbageCollect: async () => void (await mutated.getPods(true)).map((pod) => mutated.killPod(undefined, pod, 1)) }),
      /leave running pods alone/,
    ],
    ['deletes nothing', () => ({ deleteDeadContainers: async () => {} }), /deleteDeadContainers/],
    ['has another name', () => ({ runtimeVersion: async () => ({ name: 'other', version: '1' }) }), /runtimeVersion/],
    [
      'is not ready',
      () => ({ status: async () => ({ runtimeReady: true, networkReady: false, runtimeMessage: '', networkMessage: '' }) }),
      /network are ready/,
    ],
  ])('notices a runtime that %s', async (_, mutation, promise) => {
    const failed = await failedCases(runtimeSuite, () => setUp(mutation), { without });
    expect(failed).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });

  it('notices a runtime that lacks the methods of a capability', async () => {
    const results = await runSuite(runtimeSuite, () => setUp());
    expect(results.filter(({ error }) => error !== undefined)).toHaveLength(4);
  });
});

/** Syncs each pod once. */
function once(syncPod: TestRuntime['syncPod']): TestRuntime['syncPod'] {
  const synced = new Set<string | undefined>();
  return async (pod, ...rest) => {
    if (synced.has(pod.metadata?.uid)) return { results: [] };
    synced.add(pod.metadata?.uid);
    return syncPod(pod, ...rest);
  };
}

/** Gives the list of the first call that found a pod. */
function always(getPods: TestRuntime['getPods']): TestRuntime['getPods'] {
  let pods: RuntimePod[] = [];
  let isKept = false;
  return async (all) => {
    if (!isKept) pods = await getPods(all);
    isKept ||= pods.length > 0;
    return pods;
  };
}
