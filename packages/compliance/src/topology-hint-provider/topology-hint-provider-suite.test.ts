import type { TopologyHint, TopologyHintProvider } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { describe, it } from 'vitest';
import { defineSuite } from '../suite/define-suite.js';
import { defineMutations, type Mutation, type MutationRow } from '../support/test-mutations.js';
import { slotsSubject } from './test-hint-provider.js';
import { type TopologyHintProviderSubject, topologyHintProviderSuite } from './topology-hint-provider-suite.js';

describe('a third-party hint provider keeps the promises of a', () => {
  defineSuite({ describe, it }, topologyHintProviderSuite, () => slotsSubject());
});

const wrong = (
  name: string,
  mutation: (slots: Map<string, string>) => Mutation<TopologyHintProvider>,
  promise: RegExp,
): MutationRow<TopologyHintProviderSubject> => [name, () => slotsSubject(mutation), promise];

/** Changes all hints of a provider. */
const hints =
  (change: (hint: TopologyHint) => TopologyHint): (() => Mutation<TopologyHintProvider>) =>
  () =>
  (honest) => {
    const changed = (all: ReturnType<TopologyHintProvider['getTopologyHints']>) =>
      Object.fromEntries(Object.entries(all).map(([name, list]) => [name, list?.map(change) ?? null]));
    return {
      getTopologyHints: (pod, container) => changed(honest.getTopologyHints(pod, container)),
      getPodTopologyHints: (pod) => changed(honest.getPodTopologyHints(pod)),
    };
  };

describe('the suite of hint providers', () => {
  defineMutations(it, topologyHintProviderSuite, [
    wrong(
      'hints with the nodes in the wrong order',
      hints(({ numaNodes, preferred }) => ({ numaNodes: numaNodes && [...numaNodes].reverse(), preferred })),
      /well-formed/,
    ),
    wrong(
      'no preferred hint',
      hints((hint) => ({ ...hint, preferred: false })),
      /prefers each NUMA node/,
    ),
    wrong(
      'hints that assign',
      () => (honest) => ({
        getTopologyHints(pod, container) {
          const all = honest.getTopologyHints(pod, container);
          void honest.allocate(pod, container, { numaNodes: null, preferred: false }).catch(() => {});
          return all;
        },
      }),
      /assigns nothing for hints/,
    ),
    wrong(
      'hints for containers without requests',
      () => () => ({
        getTopologyHints: () => ({ 'example.com/slot': [{ numaNodes: [0], preferred: true }] }),
      }),
      /requests nothing/,
    ),
    wrong(
      'hints for what the machine does not have',
      () => (honest) => ({
        getTopologyHints(pod, container) {
          const all = honest.getTopologyHints(pod, container);
          return all['example.com/slot']?.length === 0 ? { 'example.com/slot': [{ numaNodes: [0, 1], preferred: false }] } : all;
        },
      }),
      /too little/,
    ),
    wrong(
      'an allocation that ignores the hint',
      () => (honest) => ({
        allocate: (pod, container) => honest.allocate(pod, container, { numaNodes: [0], preferred: true }),
      }),
      /from the NUMA nodes of the hint/,
    ),
    wrong(
      'an allocation that needs a hint',
      () => (honest) => ({
        async allocate(pod, container, hint) {
          if (hint.numaNodes !== null) await honest.allocate(pod, container, hint);
        },
      }),
      /without NUMA nodes/,
    ),
    wrong(
      'an allocation that starts again',
      (slots) => (honest) => ({
        async allocate(pod, container, hint) {
          for (const [slot, owner] of slots) if (owner === `${podUid(pod)}/${container.name}`) slots.set(slot, '');
          await honest.allocate(pod, container, hint);
        },
      }),
      /keep what it has/,
    ),
    wrong(
      'an allocation that gives a slot twice',
      (slots) => () => ({
        async allocate(pod, container) {
          slots.set('0-0', `${slots.get('0-0')} ${podUid(pod)}/${container.name}`.trim());
        },
      }),
      /no unit to two containers/,
    ),
    wrong(
      'an allocation that resolves without the resource',
      () => (honest) => ({
        allocate: (pod, container, hint) => honest.allocate(pod, container, hint).catch(() => {}),
      }),
      /rejects what it cannot assign/,
    ),
  ]);
});
