import type { RuntimePod } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { runSuite } from '../suite/run-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { createTestRuntime, type TestImage, type TestRuntime } from './runtime-double.js';
import { runtimeSuite } from './runtime-suite.js';
import type { RuntimeSubject } from './subject.js';

const images: Record<string, TestImage> = {
  succeeds: { exitCode: 0 },
  fails: { exitCode: 3 },
  'ignores-stop': { ignoresStop: true },
  'cannot-start': { cannotStart: true },
};

function setUp(mutation: Mutation<TestRuntime> = () => ({})): { subject: RuntimeSubject } {
  const clock = createVirtualClock();
  const runtime = mutate(createTestRuntime({ clock, image: (name) => images[name] ?? {} }), mutation);
  return { subject: { runtime, container: (kind) => ({ image: kind }), advance: clock.advance } };
}

describe('a runtime of records keeps the promises of a', () => {
  defineSuite({ describe, it }, runtimeSuite, () => setUp());
});

describe('the runtime suite', () => {
  const rows: [string, Mutation<TestRuntime>, RegExp][] = [
    ['restarts nothing', ({ syncPod }) => ({ syncPod: once(syncPod) }), /is restarted/],
    [
      'restarts everything',
      ({ syncPod }) => ({
        syncPod: (pod, ...rest) => syncPod({ ...pod, spec: { containers: [], ...pod.spec, restartPolicy: 'Always' } }, ...rest),
      }),
      /not restarted with the restart policy Never/,
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
      /killPod stops a runtime-only pod/,
    ],
    ['lists less', ({ getPods }) => ({ getPods: () => getPods(false) }), /killPod stops the containers/],
    ['hands out its own lists', ({ getPods }) => ({ getPods: always(getPods) }), /listings are copies/],
    [
      'collects too much',
      (_, mutated) => ({ garbageCollect: async () => void (await mutated.getPods(true)).map((pod) => mutated.killPod(undefined, pod, 1)) }),
      /garbage collection and collectBackOff do not affect running pods/,
    ],
    ['deletes nothing', () => ({ deleteDeadContainers: async () => {} }), /deleteDeadContainers/],
    ['has another name', () => ({ runtimeVersion: async () => ({ name: 'other', version: '1' }) }), /runtimeVersion/],
    [
      'is not ready',
      () => ({ status: async () => ({ runtimeReady: true, networkReady: false, runtimeMessage: '', networkMessage: '' }) }),
      /network are ready/,
    ],
    ['invents pods', () => ({ getPod: async (uid) => ({ uid, name: '', namespace: '', containers: [], sandboxes: [] }) }), /without pods/],
    ['does not check', () => ({ checkRuntime: () => Promise.reject(new Error('no')) }), /checkRuntime/],
    [
      'reclaims too much',
      ({ killPod, getPods }) => ({
        async deleteAllUnusedContainers() {
          for (const pod of await getPods(true)) await killPod(undefined, pod);
        },
      }),
      /deleteAllUnusedContainers/,
    ],
    [
      'has one address for all',
      ({ getPodStatus }) => ({ getPodStatus: async (pod) => ({ ...(await getPodStatus(pod)), ips: ['10.0.0.9'] }) }),
      /getPodStatus of an unknown pod is empty/,
    ],
    [
      'sees no active containers',
      ({ getPodStatus }) => ({ getPodStatus: async (pod) => ({ ...(await getPodStatus(pod)), activeContainerStatuses: [] }) }),
      /getPodStatus returns the full status of a running pod/,
    ],
    ['kills once', ({ killPod }) => ({ killPod: rejectingLater(killPod) }), /killPod is idempotent/],
    ['lists one pod', ({ getPods }) => ({ getPods: async (all) => (await getPods(all)).slice(0, 1) }), /pods are synced concurrently/],
    [
      'starts over at each sync',
      ({ syncPod }) => ({
        async syncPod(pod, status, options) {
          await syncPod(pod, status, { restartAllContainers: true });
          return syncPod(pod, status, options);
        },
      }),
      /syncPod does not change a pod that matches its spec/,
    ],
    [
      'lists pods without names',
      ({ getPods }) => ({ getPods: async (all) => (await getPods(all)).map((pod) => ({ ...pod, name: '' })) }),
      /is then listed/,
    ],
    ['resizes nothing', () => ({ isPodResizeInProgress: () => false }), /isPodResizeInProgress/],
    ['forgets what it applied', () => ({ actuatedPod: (pod) => pod }), /actuatedPod/],
    [
      'has no streams',
      () => ({ execUrl: () => Promise.reject(new Error('no')) }),
      /returns the stream URLs of a running container and its pod/,
    ],
    [
      'streams from anywhere',
      () => ({ portForwardUrl: async () => new URL('http://127.0.0.1') }),
      /refuses streams of a stopped container; without a sandbox the error is PodSandboxNotFound/,
    ],
  ];
  defineMutations(
    it,
    runtimeSuite,
    rows.map(([wrong, mutation, promise]) => [wrong, () => setUp(mutation), promise]),
  );

  it('leaves out the capabilities that a runtime does not have', async () => {
    const without = ['ResizableRuntime', 'StreamingRuntime', 'ReclaimingRuntime', 'VersionedRuntime'];
    const lacking = Object.fromEntries(capabilityMethods.map((method) => [method, undefined]));
    const results = await runSuite(runtimeSuite, () => setUp(() => lacking as Partial<TestRuntime>), { without });
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(results.filter(({ skipped }) => skipped)).toHaveLength(7);
  });
});

const capabilityMethods = [
  'isPodResizeInProgress',
  'actuatedPod',
  'execUrl',
  'attachUrl',
  'portForwardUrl',
  'deleteDeadContainers',
  'runtimeVersion',
];

/** A pod's second kill rejects. */
function rejectingLater(killPod: TestRuntime['killPod']): TestRuntime['killPod'] {
  const killed = new Set<string>();
  return async (pod, running, ...grace) => {
    if (killed.has(running.uid)) throw new Error('killed already');
    killed.add(running.uid);
    return killPod(pod, running, ...grace);
  };
}

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
