import type { PodLifecycleEventGenerator, WritablePodCache } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, it } from 'vitest';
import { createTestPodCache } from '../pod-cache/test-pod-cache.js';
import { defineSuite } from '../suite/define-suite.js';
import { defineMutations, type Mutation, mutate } from '../support/test-mutations.js';
import { createTestPleg, type TestPlegPorts } from './pleg-double.js';
import { plegSuite } from './pleg-suite.js';
import type { PlegRuntime, PlegSubject } from './subject.js';

interface Mutations {
  pleg?: Mutation<PodLifecycleEventGenerator>;
  cache?: Mutation<WritablePodCache>;
  ports?: (ports: TestPlegPorts) => Partial<TestPlegPorts>;
}

function setUp({ pleg = () => ({}), cache: write = () => ({}), ports = () => ({}) }: Mutations = {}): { subject: PlegSubject } {
  const clock = createVirtualClock();
  const create: PlegSubject['create'] = (runtime) => {
    const cache = createTestPodCache();
    const given: TestPlegPorts = { runtime, cache: mutate({ ...cache }, write), clock };
    return { pleg: mutate(createTestPleg({ ...given, ...ports(given) }), pleg), cache };
  };
  return { subject: { create, advance: clock.advance } };
}

describe('a minimal generator keeps the promises of a', () => {
  defineSuite({ describe, it }, plegSuite, () => setUp());
});

describe('the generator suite', () => {
  const late = ({ set }: WritablePodCache): Partial<WritablePodCache> => ({ set: (...entry) => queueMicrotask(() => set(...entry)) });

  const rows: [string, Mutations, RegExp][] = [
    ['sends events before it caches', { cache: late }, /before the event is sent/],
    ['releases no readers', { cache: () => ({ updateTime: () => {} }) }, /relist releases the waiting readers of unchanged pods/],
    ['forgets no pod', { cache: () => ({ delete: () => {} }) }, /a running container that disappears is reported as died, then removed/],
    [
      'answers from relists that ran already',
      { cache: (cache) => ({ updateTime: () => cache.updateTime(cache.revision()) }) },
      /readers wait for a relist that starts after their call/,
    ],
    [
      'hides errors',
      { cache: ({ set }) => ({ set: (uid, status, _, revision) => set(uid, status, undefined, revision) }) },
      /a failed status/,
    ],
    [
      'takes a failed listing for an empty one',
      { ports: ({ runtime }) => ({ runtime: { ...runtime, getPods: () => runtime.getPods(true).catch(() => []) } }) },
      /a failed listing/,
    ],
    [
      'sees no sandboxes',
      {
        ports: ({ runtime }) => ({
          runtime: { ...runtime, getPods: async () => (await runtime.getPods(true)).map((pod) => ({ ...pod, sandboxes: [] })) },
        }),
      },
      /relist reports/,
    ],
    ['does not reinspect', { pleg: () => ({ requestReinspect: () => {} }) }, /requestReinspect/],
    ['ignores requests', { pleg: () => ({ requestRelist: () => {} }) }, /requestRelist does not wait/],
    ['does not start', { pleg: () => ({ start: async () => {} }) }, /once started it reports changes/],
    ['does not stop', { pleg: () => ({ stop: async () => {} }) }, /it stops, and stop is idempotent/],
    ['ignores its signal', { pleg: ({ start }) => ({ start: () => start() }) }, /signal of its start/],
    ['is always healthy', { pleg: () => ({ unhealthyReason: () => undefined }) }, /unhealthy until/],
    [
      'forgets addresses',
      { cache: ({ set }) => ({ set: (uid, status, ...rest) => set(uid, status && { ...status, ips: [] }, ...rest) }) },
      /a terminated pod keeps its IP addresses/,
    ],
    [
      'has a channel without a bound',
      { pleg: ({ events }) => ({ events: Object.create(events, { capacity: { value: 5 } }) as typeof events }) },
      /full channel/,
    ],
    [
      'starts by itself',
      {
        pleg({ start }) {
          void start();
          return {};
        },
      },
      /before it is started/,
    ],
    [
      'asks for every status',
      {
        pleg: ({ relist, requestReinspect }) => ({
          relist() {
            requestReinspect('web');
            return relist();
          },
        }),
      },
      /relist requests no status and sends no event for unchanged pods/,
    ],
    [
      'repeats an event with each relist',
      {
        pleg: ({ relist, events }) => ({
          async relist() {
            await relist();
            events.offer({ podUid: 'web', type: 'PodSync' });
          },
        }),
      },
      /relist requests no status and sends no event for unchanged pods/,
    ],
    [
      'lists twice',
      { ports: ({ runtime }) => ({ runtime: { ...runtime, getPods: twice(runtime.getPods) } }) },
      /relists run one at a time/,
    ],
  ];
  defineMutations(
    it,
    plegSuite,
    rows.map(([wrong, mutation, promise]) => [wrong, () => setUp(mutation), promise]),
  );
});

/** Each call is made two times. */
function twice(getPods: PlegRuntime['getPods']): PlegRuntime['getPods'] {
  return (all) => {
    getPods(all).catch(() => {});
    return getPods(all);
  };
}
