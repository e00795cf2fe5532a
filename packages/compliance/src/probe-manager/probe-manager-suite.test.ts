import type { Pod, ProbeManager, ProbeUpdate, ProbeUpdates } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { createTestProbeManager } from './probe-manager-double.js';
import { probeManagerSuite } from './probe-manager-suite.js';
import type { ProbeManagerSubject, ProbePorts } from './subject.js';

interface Mutations {
  manager?: Mutation<ProbeManager>;
  ports?: (ports: ProbePorts) => Partial<ProbePorts>;
}

function setUp({ manager = () => ({}), ports: change = () => ({}) }: Mutations = {}): { subject: ProbeManagerSubject } {
  const clock = createVirtualClock();
  const create: ProbeManagerSubject['create'] = (ports) => mutate(createTestProbeManager({ ...ports, ...change(ports), clock }), manager);
  return { subject: { create, advance: clock.advance } };
}

describe('a minimal probe manager keeps the promises of a', () => {
  defineSuite({ describe, it }, probeManagerSuite, () => setUp());
});

describe('the probe manager suite', () => {
  const views =
    (fields: object): Mutation<ProbeManager> =>
    ({ view }) => ({ view: (pod) => ({ ...view(pod), ...fields }) });

  const rows: [string, Mutations, RegExp][] = [
    ['succeeds always', { ports: () => ({ runInContainer: async () => ({ exitCode: 0, stdout: '', stderr: '' }) }) }, /when it changes/],
    [
      'probes what has not started',
      {
        ports: ({ podStatus }) => ({
          podStatus(uid) {
            const { containerStatuses = [], ...status } = podStatus(uid) ?? {};
            return { ...status, containerStatuses: containerStatuses.map((each) => ({ ...each, started: true })) };
          },
        }),
      },
      /other probes wait for the startup probe/,
    ],
    [
      'restarts the probes at every sync',
      {
        manager: ({ addPod }) => ({ addPod: asNewPod(addPod) }),
        ports: ({ podStatus }) => ({ podStatus: (uid) => podStatus(uid.split('#')[0] ?? '') }),
      },
      /at every sync/,
    ],
    [
      'keeps every update',
      { manager: ({ updates }) => ({ updates: everyUpdate(updates) }) },
      /only the latest update of each probe is queued/,
    ],
    ['counts each failure', { manager: ({ addPod }) => ({ addPod: (pod) => addPod(impatient(pod)) }) }, /threshold/],
    ['never probes now', { manager: () => ({ probeNow: () => {} }) }, /probeNow/],
    [
      'stops too much',
      { manager: ({ removePod }) => ({ stopLivenessAndStartup: (pod) => removePod(pod) }) },
      /stopLivenessAndStartup keeps readiness probes/,
    ],
    ['stops too little', { manager: () => ({ stopLivenessAndStartup: () => {} }) }, /stopLivenessAndStartup keeps readiness probes/],
    ['does not remove', { manager: () => ({ removePod: () => {} }) }, /removePod/],
    ['cleans up everything', { manager: ({ cleanupPods }) => ({ cleanupPods: () => cleanupPods(new Set()) }) }, /cleanupPods/],
    ['does not stop', { manager: () => ({ stop: async () => {} }) }, /stop stops all probes and aborts those in progress/],
    ['sees no workers', { manager: views({ hasWorker: () => false }) }, /a view has the running probes and their start times/],
    ['sees no results', { manager: views({ readiness: () => undefined }) }, /in a view/],
    ['sees workers everywhere', { manager: views({ hasWorker: () => true }) }, /without probes/],
    ['adds a pod once', { manager: ({ addPod }) => ({ addPod: once(addPod) }) }, /is probed again/],
    ['probes one at a time', { ports: ({ runInContainer }) => ({ runInContainer: inTurn(runInContainer) }) }, /probes run concurrently/],
  ];
  defineMutations(
    it,
    probeManagerSuite,
    rows.map(([wrong, mutation, promise]) => [wrong, () => setUp(mutation), promise]),
  );
});

/** Passes each call on as one for a new pod. */
function asNewPod(addPod: ProbeManager['addPod']): ProbeManager['addPod'] {
  let calls = 0;
  return (pod) => addPod({ ...pod, metadata: { ...pod.metadata, uid: `${pod.metadata?.uid}#${++calls}` } });
}

/** Ignores further calls for the same pod. */
function once(addPod: ProbeManager['addPod']): ProbeManager['addPod'] {
  const added = new Set<string | undefined>();
  return (pod) => {
    if (!added.has(pod.metadata?.uid)) addPod(pod);
    added.add(pod.metadata?.uid);
  };
}

/** Runs one command at a time. */
function inTurn(run: ProbePorts['runInContainer']): ProbePorts['runInContainer'] {
  let last: Promise<unknown> = Promise.resolve();
  return (...command) => {
    const turn = last.then(() => run(...command));
    last = turn.catch(() => {});
    return turn;
  };
}

/** Updates that do not replace each other. */
function everyUpdate(updates: ProbeUpdates): ProbeUpdates {
  const all: ProbeUpdate[] = [];
  const every: ProbeUpdates = { onOffer: undefined, poll: () => all.shift() };
  updates.onOffer = () => {
    for (let next = updates.poll(); next; next = updates.poll()) all.push(next);
    every.onOffer?.();
  };
  return every;
}

/** The pod, not ready after one failure. */
function impatient({ spec, ...pod }: Pod): Pod {
  const containers = (spec?.containers ?? []).map(({ readinessProbe, ...container }) => ({
    ...container,
    ...(readinessProbe && { readinessProbe: { ...readinessProbe, failureThreshold: 1 } }),
  }));
  return { ...pod, spec: { ...spec, containers } };
}
