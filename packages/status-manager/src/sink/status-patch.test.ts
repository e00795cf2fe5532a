import type { PodStatus } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { equalByKubelet } from '../compare/equal.js';
import { aStatus, exited, running, waiting } from '../test-builders.js';
import { applyStatusPatch } from './apply-status-patch.js';
import { statusPatch } from './status-patch.js';

const condition = (type: string, status: string, more = {}) => ({ type, status, lastTransitionTime: '2026-01-01T00:00:00Z', ...more });
const order = (...types: string[]) => types.map((type) => ({ type }));

describe('statusPatch', () => {
  it('is undefined for equal statuses, also in another form', () => {
    const status: PodStatus = { phase: 'Running', conditions: [condition('Ready', 'True')], containerStatuses: [aStatus('app', running)] };
    const same: PodStatus = {
      ...status,
      message: '',
      podIPs: [],
      startTime: null,
      conditions: [condition('Ready', 'True', { lastProbeTime: null, reason: '', lastTransitionTime: '2026-01-01T01:00:00+01:00' })],
      containerStatuses: [aStatus('app', running, { volumeMounts: [] })],
    };
    expect(statusPatch(status, status)).toBeUndefined();
    expect(statusPatch(status, same)).toBeUndefined();
    expect(statusPatch(same, status)).toBeUndefined();
  });

  it('contains a whole list where there was none, as in a pod’s first patch', () => {
    const status: PodStatus = {
      phase: 'Pending',
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.1' }],
      startTime: '2026-01-01T00:00:00Z',
      resources: {},
      conditions: [condition('Ready', 'False')],
      containerStatuses: [aStatus('app', waiting)],
    };
    const { phase, ...rest } = status;
    expect(statusPatch({ phase: 'Pending', qosClass: 'BestEffort' }, { ...status, qosClass: 'BestEffort' })).toEqual(rest);
    expect(phase).toBe('Pending');
  });

  it('contains changed conditions by type, and the order of all conditions', () => {
    const from = {
      conditions: [
        condition('Initialized', 'True'),
        condition('Ready', 'False', { reason: 'ContainersNotReady', message: 'm' }),
        condition('PodResizeInProgress', 'True'),
      ],
    };
    const to = {
      conditions: [
        condition('Initialized', 'True'),
        condition('Ready', 'True', { lastTransitionTime: '2026-01-01T00:00:05Z' }),
        condition('New', 'True'),
      ],
    };
    expect(statusPatch(from, to)).toEqual({
      '$setElementOrder/conditions': order('Initialized', 'Ready', 'New'),
      conditions: [
        { type: 'Ready', status: 'True', reason: null, message: null, lastTransitionTime: '2026-01-01T00:00:05Z' },
        condition('New', 'True'),
        { $patch: 'delete', type: 'PodResizeInProgress' },
      ],
    });
  });

  it('contains only the order if only the order changed', () => {
    const [a, b] = [condition('A', 'True'), condition('B', 'True')];
    expect(statusPatch({ conditions: [a, b] }, { conditions: [b, a] })).toEqual({ '$setElementOrder/conditions': order('B', 'A') });
  });

  it('replaces whole lists of containers', () => {
    const [a, b] = [aStatus('a', running), aStatus('b', running)];
    const ended = { ...b, state: exited(1) };
    expect(statusPatch({ containerStatuses: [a, b] }, { containerStatuses: [a, ended] })).toEqual({ containerStatuses: [a, ended] });
    expect(statusPatch({ initContainerStatuses: [a] }, {})).toEqual({ initContainerStatuses: null });
    const started = { ...a, started: false };
    expect(statusPatch({ containerStatuses: [a] }, { containerStatuses: [started] })).toEqual({ containerStatuses: [started] });
  });

  it('compares nested resources by value', () => {
    const from: PodStatus = {
      resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
      allocatedResources: { cpu: '1' },
    };
    const to: PodStatus = { resources: { limits: { cpu: '2' } }, allocatedResources: { cpu: '1000m' } };
    expect(statusPatch(from, to)).toEqual({ resources: { limits: { cpu: '2', memory: null }, requests: null } });
    expect(statusPatch(from, {})).toEqual({ resources: null, allocatedResources: null });
  });

  it('leaves fields that a kubelet does not write', () => {
    const from = { phase: 'Running', nominatedNodeName: 'n', resize: 'Deferred', brandNew: 1 } as PodStatus;
    expect(statusPatch(from, { phase: 'Running' })).toBeUndefined();
    expect(statusPatch(from, { phase: 'Failed', reason: 'Evicted' })).toEqual({ phase: 'Failed', reason: 'Evicted' });
    expect(statusPatch({ reason: 'Evicted', podIPs: [{ ip: 'a' }] }, {})).toEqual({ reason: null, podIPs: null });
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'turns any status into any other, after which the patch is undefined: seed %i',
    (seed) => {
      const random = seededRandom(seed);
      const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
      const some = <T>(values: T[]): T[] => values.filter(() => random() < 0.6).sort(() => random() - 0.5);
      const arbitrary = (): PodStatus => ({
        phase: pick('Pending', 'Running', 'Failed'),
        ...pick<PodStatus>({}, { reason: 'Evicted', message: 'm' }),
        ...pick<PodStatus>({}, { startTime: '2026-01-01T00:00:00Z', observedGeneration: pick(1, 2) }),
        ...pick<PodStatus>({}, { podIP: '10.0.0.1', podIPs: some([{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }, { ip: '::1' }]) }),
        ...pick<PodStatus>(
          {},
          { resources: pick<PodStatus['resources']>({}, { limits: { cpu: pick('1', '2') } }, { limits: { memory: '1Gi' }, requests: {} }) },
        ),
        conditions: some(['Ready', 'Initialized', 'x.io/gate', 'ContainersReady']).map((type) =>
          condition(type, pick('True', 'False'), pick({}, { reason: 'R' }, { observedGeneration: 3 })),
        ),
        containerStatuses: some(['a', 'b']).map((name) => aStatus(name, pick(running, waiting, exited(1)), pick({}, { started: false }))),
      });
      for (let round = 0; round < 50; round++) {
        const [from, to] = [arbitrary(), arbitrary()];
        const patched = applyStatusPatch(from, statusPatch(from, to) ?? {});
        expect(equalByKubelet(patched, to)).toBe(true);
        expect(patched.conditions ?? []).toEqual(to.conditions);
        expect(statusPatch(patched, to)).toBeUndefined();
      }
    },
  );
});
