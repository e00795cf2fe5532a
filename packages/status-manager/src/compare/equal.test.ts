import type { PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { aStatus, running } from '../test-builders.js';
import { equalByKubelet } from './equal.js';

const base: PodStatus = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [aStatus('app', running, { resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '1' } })],
};
const [app = aStatus('app', running)] = base.containerStatuses ?? [];
const equals = (change: PodStatus) => equalByKubelet(base, { ...structuredClone(base), ...change });
const equalsApp = (change: Partial<typeof app>) => equals({ containerStatuses: [{ ...structuredClone(app), ...change }] });

describe('equal statuses', () => {
  it('may differ in fields that other components own, and in times and generations of conditions', () => {
    expect(
      equals({ conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 'x', observedGeneration: 9, lastProbeTime: null }] }),
    ).toBe(true);
    expect(equals({ conditions: [{ type: 'custom', status: 'True' }, ...(base.conditions ?? [])] })).toBe(true);
    expect(equals({ resourceClaimStatuses: [{ name: 'gpu' }], extendedResourceClaimStatus: {} })).toBe(true);
  });

  it('compare quantities by value and times by instant', () => {
    expect(equalsApp({ allocatedResources: { cpu: '1000m' }, resources: { requests: { cpu: '1e0' } } })).toBe(true);
    expect(equalsApp({ state: { running: { startedAt: '2026-01-01T01:00:01+01:00' } } })).toBe(true);
  });

  it('treat an empty list, map or text as absent', () => {
    expect(equals({ message: '', podIPs: [], initContainerStatuses: [], allocatedResources: {}, observedGeneration: 0 })).toBe(true);
    expect(equalsApp({ volumeMounts: [], containerID: '' })).toBe(true);
  });
});

describe('different statuses', () => {
  it('differ in a condition of the kubelet, its reason or message', () => {
    expect(equals({ conditions: [] })).toBe(false);
    expect(equals({ conditions: [{ type: 'Ready', status: 'False' }] })).toBe(false);
    expect(equals({ conditions: [{ type: 'Ready', status: 'True', reason: 'R' }] })).toBe(false);
    expect(equals({ conditions: [{ type: 'Ready', status: 'True', message: 'm' }] })).toBe(false);
    expect(equals({ conditions: [...(base.conditions ?? []), { type: 'DisruptionTarget', status: 'True' }] })).toBe(false);
  });

  it('differ in the pod’s generation, start or addresses', () => {
    expect(equals({ observedGeneration: 1 })).toBe(false);
    expect(equals({ startTime: '2026-01-01T00:00:00Z' })).toBe(false);
    expect(equals({ podIP: '10.0.0.1' })).toBe(false);
    expect(equals({ podIPs: [{ ip: '10.0.0.1' }] })).toBe(false);
  });

  it('differ where the API has a pointer that only one of them sets', () => {
    expect(equalsApp({ started: false })).toBe(false);
    expect(equalsApp({ lastState: { waiting: {} } })).toBe(false);
    expect(equals({ resources: {} })).toBe(false);
    expect(equalsApp({ user: { linux: { uid: 0, gid: 0 } } })).toBe(false);
  });

  it('differ in a container’s readiness, restarts or amounts', () => {
    expect(equalsApp({ ready: true })).toBe(false);
    expect(equalsApp({ restartCount: 1 })).toBe(false);
    expect(equalsApp({ allocatedResources: { cpu: '2' } })).toBe(false);
    expect(equalsApp({ allocatedResources: { memory: '1' } })).toBe(false);
    expect(equals({ containerStatuses: [app, app] })).toBe(false);
  });
});
