import type { AllocationManager } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { runSuite } from '../suite/run-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { createTestAllocationManager, type TestGrant } from './allocation-manager-double.js';
import { allocationManagerSuite } from './allocation-manager-suite.js';
import type { AllocationManagerSubject, AllocationPorts } from './subject.js';

interface Mutations {
  manager?: Mutation<AllocationManager>;
  ports?: (ports: AllocationPorts) => Partial<AllocationPorts>;
  /** Nothing is saved. */
  forgetful?: boolean;
}

function setUp({ manager = () => ({}), ports: change = () => ({}), forgetful = false }: Mutations = {}): {
  subject: AllocationManagerSubject;
} {
  const clock = createVirtualClock();
  const saved = new Map<string, TestGrant>();
  const create: AllocationManagerSubject['create'] = (ports) =>
    mutate(createTestAllocationManager({ ...ports, ...change(ports), clock, grants: forgetful ? new Map() : saved }), manager);
  return { subject: { create, advance: clock.advance } };
}

describe('a minimal allocation manager keeps the promises of an', () => {
  defineSuite({ describe, it }, allocationManagerSuite, () => setUp());
});

describe('the allocation manager suite', () => {
  const rows: [string, Mutations, RegExp][] = [
    ['admits everything', { ports: () => ({ admitHandlers: [] }) }, /admit handlers are called in order, until the first one refuses/],
    [
      'asks in another order',
      { ports: ({ admitHandlers }) => ({ admitHandlers: admitHandlers.toReversed() }) },
      /admit handlers are called in order, until the first one refuses/,
    ],
    ['sees an empty node', { ports: () => ({ activePods: () => [] }) }, /without room is Deferred/],
    ['believes in a huge node', { ports: () => ({ nodeAllocatable: () => ({ cpu: '100' }) }) }, /beyond the node is Infeasible/],
    ['syncs nothing', { ports: () => ({ syncPod: () => {} }) }, /and the pod synced/],
    ['grants what specs ask for', { manager: () => ({ updatePodFromAllocation: (pod) => pod }) }, /takes only resources/],
    [
      'admits at once',
      {
        manager: ({ addPod }) => ({
          async addPod(pod) {
            void addPod(pod);
            return { admit: true };
          },
        }),
      },
      /one at a time/,
    ],
    [
      'has nothing to decide',
      { manager: () => ({ pushPendingResize: () => false }) },
      /pushPendingResize returns whether a resize is pending/,
    ],
    ['decides nothing', { manager: () => ({ retryPendingResizes: async () => {} }) }, /a resize that fits/],
    ['forgets decisions', { manager: () => ({ isResizeUndecided: () => true }) }, /a resize that fits/],
    ['lists another order', { manager: ({ pendingResizes }) => ({ pendingResizes: () => pendingResizes().reverse() }) }, /in the order of/],
    ['does not start', { manager: () => ({ start: async () => {} }) }, /a started manager retries pending resizes, a stopped one does not/],
    ['forgets nothing', { manager: () => ({ removePod: () => {} }) }, /removePod/],
    [
      'forgets everything',
      { manager: ({ removeOrphanedPods }) => ({ removeOrphanedPods: () => removeOrphanedPods(new Set()) }) },
      /removePod and removeOrphanedPods delete grants/,
    ],
    ['saves nothing', { forgetful: true }, /grants are saved/],
  ];
  defineMutations(
    it,
    allocationManagerSuite,
    rows.map(([wrong, mutation, promise]) => [wrong, () => setUp(mutation), promise]),
  );

  it('leaves out the checkpoint of a manager that has none', async () => {
    const results = await runSuite(allocationManagerSuite, () => setUp({ forgetful: true }), { without: ['checkpoint'] });
    expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
  });
});
