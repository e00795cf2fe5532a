import { randomUUID } from 'node:crypto';
import type { Pod, StatusListener, StatusManager } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { createTestStatusManager } from './status-manager-double.js';
import { statusManagerSuite } from './status-manager-suite.js';

function setUp(mutation: Mutation<StatusManager> = () => ({})) {
  const clock = createVirtualClock();
  const pods: Pod[] = [];
  const manager = mutate(createTestStatusManager({ clock, pods: () => pods }), mutation);
  return { subject: { manager, addPod: (...added: Pod[]) => void pods.push(...added), advance: clock.advance } };
}

describe('a status manager in memory keeps the promises of a', () => {
  defineSuite({ describe, it }, statusManagerSuite, () => setUp());
});

describe('the status manager suite', () => {
  const rows: [string, Mutation<StatusManager>, RegExp][] = [
    ['drops every second status', ({ setPodStatus }) => ({ setPodStatus: everySecond(setPodStatus) }), /in order/],
    [
      'accepts what changes nothing',
      ({ setPodStatus }) => ({ setPodStatus: (pod, status) => setPodStatus(pod, { ...status, message: randomUUID() }) }),
      /ignores an unchanged status/,
    ],
    [
      'changes what it is given',
      ({ setPodStatus }) => ({ setPodStatus: (pod, status) => setPodStatus(pod, Object.assign(status, { startTime: 'now' })) }),
      /setPodStatus modifies neither the pod nor the status/,
    ],
    [
      'restarts transitions',
      ({ setPodStatus, removeOrphanedStatuses }) => ({
        setPodStatus(pod, status) {
          removeOrphanedStatuses(new Set());
          setPodStatus(pod, status);
        },
      }),
      /keeps its transition time/,
    ],
    ['knows no mirror pods', (_, manager) => ({ getPodStatus: lastStatuses(manager) }), /uid of a mirror pod/],
    ['ignores readiness', () => ({ setContainerReadiness: () => {} }), /setContainerReadiness/],
    ['ends nothing', () => ({ terminatePod: () => {} }), /terminatePod/],
    [
      'forgets everything',
      ({ removeOrphanedStatuses }) => ({ removeOrphanedStatuses: () => removeOrphanedStatuses(new Set()) }),
      /removeOrphanedStatuses removes/,
    ],
    ['never forgets', () => ({ removeOrphanedStatuses: () => {} }), /removeOrphanedStatuses removes/],
    [
      'calls back later',
      ({ onStatus }) => ({ onStatus: (listener) => onStatus(later(listener)) }),
      /onStatus calls back for each accepted status in order, after it is stored/,
    ],
    [
      'keeps its listeners',
      ({ onStatus }) => ({
        onStatus(listener) {
          onStatus(listener);
          return () => {};
        },
      }),
      /a listener can be removed, and one that throws does not affect others/,
    ],
    ['hands out what it changes', ({ getPodStatus }) => ({ getPodStatus: inOneObject(getPodStatus) }), /a returned status does not change/],
    [
      'invents a status',
      ({ getPodStatus }) => ({ getPodStatus: (uid) => getPodStatus(uid) ?? {} }),
      /getPodStatus returns undefined for a pod without a status/,
    ],
    [
      'takes unknown results for a reason to forget',
      ({ setContainerReadiness, removeOrphanedStatuses }) => ({
        setContainerReadiness(uid, ...result) {
          setContainerReadiness(uid, ...result);
          if (uid !== 'uid-web') removeOrphanedStatuses(new Set());
        },
      }),
      /are ignored/,
    ],
    ['takes start-up for readiness', ({ setContainerReadiness: set }) => ({ setContainerStartup: set }), /setContainerStartup/],
    [
      'forgets when it stops',
      ({ removeOrphanedStatuses }) => ({ stop: async () => removeOrphanedStatuses(new Set()) }),
      /start and stop are idempotent, and statuses are kept/,
    ],
  ];
  defineMutations(
    it,
    statusManagerSuite,
    rows.map(([wrong, mutation, promise]) => [wrong, () => setUp(mutation), promise]),
  );
});

function everySecond<A extends unknown[]>(call: (...args: A) => void): (...args: A) => void {
  let calls = 0;
  return (...args) => {
    if (calls++ % 2 === 0) call(...args);
  };
}

/** Calls a listener asynchronously. */
const later =
  (listener: StatusListener): StatusListener =>
  (...status) => {
    queueMicrotask(() => {
      try {
        listener(...status);
      } catch {
        // As in the honest one.
      }
    });
  };

/** Each pod has one object, which follows its status. */
function inOneObject(getPodStatus: StatusManager['getPodStatus']): StatusManager['getPodStatus'] {
  const objects = new Map<string, object>();
  return (uid) => {
    const status = getPodStatus(uid);
    if (!status) return undefined;
    const object = objects.get(uid) ?? {};
    objects.set(uid, object);
    return Object.assign(object, status);
  };
}

/** Statuses by the uid under which they were reported. */
function lastStatuses(manager: StatusManager): StatusManager['getPodStatus'] {
  const statuses = new Map<string, ReturnType<StatusManager['getPodStatus']>>();
  manager.onStatus((uid, status) => void statuses.set(uid, status));
  return (uid) => statuses.get(uid);
}
