import type { PodWorkers } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { failedCases, type Mutation, mutate } from '../support/test-failed-cases.js';
import { podWorkersSuite } from './pod-workers-suite.js';
import type { PodWorkersPorts, PodWorkersSubject } from './subject.js';
import { createTestPodWorkers } from './test-pod-workers.js';

function setUp(mutation: Mutation<PodWorkers> = () => ({}), portsFor = (ports: PodWorkersPorts) => ports): { subject: PodWorkersSubject } {
  const clock = createVirtualClock();
  const create: PodWorkersSubject['create'] = (ports) => mutate(createTestPodWorkers({ ...portsFor(ports), clock }), mutation);
  return { subject: { create, advance: clock.advance } };
}

/** Pod workers that are honest themselves and break what lies between them and the syncer or the cache. */
const between = (portsFor: (ports: PodWorkersPorts) => PodWorkersPorts) => () => setUp(undefined, portsFor);

describe('pod workers in few words keep the promises of', () => {
  defineSuite({ describe, it }, podWorkersSuite, () => setUp());
});

describe('the pod workers suite', () => {
  it.each<[string, () => { subject: PodWorkersSubject }, RegExp]>([
    [
      'drop updates',
      () => setUp(({ updatePod }) => ({ updatePod: (update) => update.type !== 'update' && updatePod(update) })),
      /latest update wins/,
    ],
    [
      'sync at once what only the runtime knows',
      () =>
        setUp(({ updatePod }) => ({
          updatePod: (update) => updatePod(update.runningPod ? { ...update, type: 'kill' } : update),
        })),
      /can only be killed/,
    ],
    [
      'complete kills at once',
      () =>
        setUp(({ updatePod }) => ({
          updatePod(update) {
            updatePod(update);
            update.killOptions?.onCompleted?.();
          },
        })),
      /onCompleted is called once/,
    ],
    ['never time out', () => setUp(() => ({ killPodNow: () => new Promise(() => {}) })), /KillPodTimeout/],
    ['ignore evictions', () => setUp(() => ({ shouldPodContentBeRemoved: () => false })), /killPodNow resolves/],
    ['forget too much', () => setUp(({ syncKnownPods }) => ({ syncKnownPods: () => syncKnownPods([]) })), /leaves the others/],
    ['forget nothing', () => setUp(() => ({ syncKnownPods: () => new Map() })), /forgets pods that have finished/],
    ['do not stop', () => setUp(() => ({ stop: async () => {} })), /stop cancels/],
    ['know too little', () => setUp(() => ({ explain: () => undefined })), /state and explain/],
    ['let static pods run side by side', () => setUp(asOrdinaryPods), /a static pod waits/],
    [
      'use old statuses',
      between(({ cache, ...rest }) => ({
        ...rest,
        cache: { ...cache, getNewerThan: (uid) => cache.getNewerThan(uid, Number.NEGATIVE_INFINITY) },
      })),
      /waits for a status seen later/,
    ],
    [
      'cancel nothing',
      between(({ syncer, ...rest }) => ({
        ...rest,
        syncer: { ...syncer, syncPod: (type, pod, status) => syncer.syncPod(type, pod, status, new AbortController().signal) },
      })),
      /a kill cancels/,
    ],
    [
      'overlook errors',
      between(({ syncer, ...rest }) => ({
        ...rest,
        syncer: { ...syncer, syncPod: async (...call) => ({ ...(await syncer.syncPod(...call)), error: undefined as never }) },
      })),
      /tried again/,
    ],
  ])('notices pod workers that %s', async (_, factory, promise) => {
    expect(await failedCases(podWorkersSuite, factory)).toEqual(expect.arrayContaining([expect.stringMatching(promise)]));
  });
});

const asOrdinaryPods: Mutation<PodWorkers> = ({ updatePod }) => ({
  updatePod: ({ pod, ...update }) =>
    updatePod({ ...update, ...(pod && { pod: { ...pod, metadata: { ...pod.metadata, annotations: {} } } }) }),
});
