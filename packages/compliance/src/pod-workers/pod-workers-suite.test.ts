import type { PodWorkers } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { createTestPodWorkers } from './pod-workers-double.js';
import { podWorkersSuite } from './pod-workers-suite.js';
import type { PodWorkersPorts, PodWorkersSubject } from './subject.js';

function setUp(mutation: Mutation<PodWorkers> = () => ({}), portsFor = (ports: PodWorkersPorts) => ports): { subject: PodWorkersSubject } {
  const clock = createVirtualClock();
  const create: PodWorkersSubject['create'] = (ports) => mutate(createTestPodWorkers({ ...portsFor(ports), clock }), mutation);
  return { subject: { create, advance: clock.advance } };
}

/** Correct pod workers whose calls of the syncer and the cache are modified. */
const between = (portsFor: (ports: PodWorkersPorts) => PodWorkersPorts) => () => setUp(undefined, portsFor);

describe('minimal pod workers keep the promises of', () => {
  defineSuite({ describe, it }, podWorkersSuite, () => setUp());
});

describe('the pod workers suite', () => {
  defineMutations(it, podWorkersSuite, [
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
    [
      'forget too much',
      () => setUp(({ syncKnownPods }) => ({ syncKnownPods: () => syncKnownPods([]) })),
      /syncKnownPods terminates the pods that are not desired and keeps the others/,
    ],
    ['forget nothing', () => setUp(() => ({ syncKnownPods: () => new Map() })), /syncKnownPods removes finished pods that are not desired/],
    ['do not stop', () => setUp(() => ({ stop: async () => {} })), /stop cancels/],
    ['know too little', () => setUp(() => ({ explain: () => undefined })), /state and explain/],
    ['let static pods run side by side', () => setUp(asOrdinaryPods), /a static pod waits/],
    [
      'use old statuses',
      between(({ cache, ...rest }) => ({
        ...rest,
        cache: { ...cache, getNewerThan: (uid) => cache.getNewerThan(uid, Number.NEGATIVE_INFINITY) },
      })),
      /after a sync that changed the pod, the next one waits for a newer status/,
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
      /is retried/,
    ],
    [
      'overlook failed terminations',
      between(({ syncer, ...rest }) => ({
        ...rest,
        syncer: { ...syncer, syncTerminatingPod: (...call) => syncer.syncTerminatingPod(...call).catch(() => {}) },
      })),
      /a failed termination/,
    ],
    [
      'pass on nothing of a kill',
      between(({ syncer, ...rest }) => ({
        ...rest,
        syncer: {
          ...syncer,
          syncTerminatingPod: (pod, status, _grace, _change, signal) =>
            syncer.syncTerminatingPod(pod, status, undefined, undefined, signal),
        },
      })),
      /passes on its grace period/,
    ],
    [
      'have one grace period',
      between(({ syncer, ...rest }) => ({
        ...rest,
        syncer: { ...syncer, syncTerminatingPod: (pod, status, _, ...rest) => syncer.syncTerminatingPod(pod, status, 5, ...rest) },
      })),
      /a kill uses the pod's grace period unless it overrides it/,
    ],
    [
      'deny that a pod ends',
      () => setUp(() => ({ isPodTerminationRequested: () => false })),
      /a killed pod terminates, is cleaned up and finishes, and the state methods follow/,
    ],
    [
      'run a pod again when it has ended',
      between(({ syncer, ...rest }) => ({
        ...rest,
        syncer: {
          ...syncer,
          async syncTerminatedPod(pod, status, signal) {
            await syncer.syncTerminatedPod(pod, status, signal);
            await syncer.syncPod('sync', pod, status, signal);
          },
        },
      })),
      /never runs again/,
    ],
    [
      'overlook the end of a pod',
      between(({ syncer, ...rest }) => ({
        ...rest,
        syncer: { ...syncer, syncPod: async (...call) => ({ ...(await syncer.syncPod(...call)), terminal: false }) },
      })),
      /a pod whose sync reports a terminal phase is terminated/,
    ],
    [
      'make do without a status',
      between(({ cache, ...rest }) => ({
        ...rest,
        cache: { ...cache, getNewerThan: (uid, ...revision) => cache.getNewerThan(uid, ...revision).catch(() => cache.get(uid)) },
      })),
      /an unavailable status fails the sync, which is retried/,
    ],
  ]);
});

const asOrdinaryPods: Mutation<PodWorkers> = ({ updatePod }) => ({
  updatePod: ({ pod, ...update }) =>
    updatePod({ ...update, ...(pod && { pod: { ...pod, metadata: { ...pod.metadata, annotations: {} } } }) }),
});
