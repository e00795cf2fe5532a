import type { ContainerState, ContainerStatus, PodCondition, PodStatus } from '@nodeagent/api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { podConditions } from '../conditions.js';
import { aContainer, aPod, epoch } from '../test-builders.js';
import { equalByKubelet } from './equal.js';
import { mergePodStatus } from './merge.js';
import { normalizeStatus } from './normalize.js';

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const time = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.25Z', '2026-01-01T03:00:00+02:00', null);
const message = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  fc.tuple(fc.constantFrom('x', 'é', '€', '𐍈'), fc.integer({ min: 4_000, max: 4_100 })).map(([unit, count]) => `x${unit.repeat(count)}`),
);
const state: fc.Arbitrary<ContainerState> = fc.oneof(
  fc.constant({}),
  fc.record({ waiting: fc.record({ reason: optional(fc.constantFrom('CrashLoopBackOff', '')) }) }),
  fc.record({ running: fc.record({ startedAt: time }) }),
  fc.record({ terminated: fc.record({ exitCode: fc.integer({ min: 0, max: 2 }), message: optional(message), finishedAt: time }) }),
);
const quantities = fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.constantFrom('1', '1000m', '1024', '1Ki'));
const container: fc.Arbitrary<ContainerStatus> = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  state,
  lastState: state,
  ready: fc.boolean(),
  restartCount: fc.nat({ max: 2 }),
  image: fc.constant('x'),
  imageID: fc.constantFrom('', 'y'),
});
const withExtras: fc.Arbitrary<ContainerStatus> = fc
  .tuple(container, optional(fc.boolean()), optional(quantities))
  .map(([status, started, requests]) => ({
    ...status,
    ...(started !== undefined && { started }),
    ...(requests && { allocatedResources: requests, resources: { requests } }),
  }));
const condition: fc.Arbitrary<PodCondition> = fc.record({
  type: fc.constantFrom(...Object.values(podConditions), 'DisruptionTarget', 'example.com/gate'),
  status: fc.constantFrom('True', 'False'),
  reason: fc.constantFrom('', 'A'),
  lastTransitionTime: time,
});
const containers = fc.uniqueArray(withExtras, { selector: ({ name }) => name, maxLength: 3 });

/** Statuses of every shape. Conditions and containers are unique, as the API demands. */
const anyStatus: fc.Arbitrary<PodStatus> = fc.record(
  {
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    startTime: time,
    conditions: fc.uniqueArray(condition, { selector: ({ type }) => type, maxLength: 6 }),
    initContainerStatuses: containers,
    containerStatuses: containers,
    podIPs: fc.array(fc.record({ ip: fc.constantFrom('10.0.0.1', 'fd00::1') }), { maxLength: 2 }),
    reason: fc.constantFrom('', 'R'),
  },
  { requiredKeys: [] },
);

it('normalises idempotently, and never changes the given status', () => {
  const pod = aPod({ initContainers: [aContainer('b'), aContainer('a')] });
  fc.assert(
    fc.property(anyStatus, (status) => {
      const before = structuredClone(status);
      const once = normalizeStatus(pod, status);
      expect(normalizeStatus(pod, once)).toBe(once);
      expect(status).toEqual(before);
    }),
  );
});

it('compares reflexively and symmetrically', () => {
  fc.assert(fc.property(anyStatus, (status) => equalByKubelet(status, structuredClone(status))));
  fc.assert(fc.property(anyStatus, anyStatus, (a, b) => equalByKubelet(a, b) === equalByKubelet(b, a)));
});

it('merges idempotently, and finds no difference after the merged status was written', () => {
  fc.assert(
    fc.property(anyStatus, anyStatus, fc.boolean(), (apiStatus, newStatus, couldHaveRunningContainers) => {
      const before = structuredClone([apiStatus, newStatus]);
      const merge = (api: PodStatus, ours: PodStatus) =>
        mergePodStatus({ pod: aPod(), apiStatus: api, newStatus: ours, couldHaveRunningContainers, now: epoch });
      const merged = merge(apiStatus, newStatus);
      expect(merge(apiStatus, merged)).toEqual(merged);
      expect([apiStatus, newStatus]).toEqual(before);
      expect(equalByKubelet(merge(merged, newStatus), merged)).toBe(true);
    }),
  );
});
