import type { PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { aPod, epoch, shortConditions } from '../test-builders.js';
import { mergePodStatus } from './merge.js';

const pod = aPod();
const merge = (apiStatus: PodStatus, newStatus: PodStatus, couldHaveRunningContainers = false) =>
  mergePodStatus({ pod, apiStatus, newStatus, couldHaveRunningContainers, now: epoch });
const before = '2025-01-01T00:00:00Z';
const disrupted = { type: 'DisruptionTarget', status: 'True', lastTransitionTime: before };

describe('merging', () => {
  it('keeps the fields of other components from the API server, and the kubelet’s fields from this node', () => {
    const merged = merge(
      {
        conditions: [
          { type: 'gate', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
        resourceClaimStatuses: [{ name: 'gpu' }],
      },
      {
        phase: 'Running',
        conditions: [
          { type: 'gate', status: 'False' },
          { type: 'Ready', status: 'False' },
        ],
        resourceClaimStatuses: [{ name: 'stale' }],
      },
    );
    expect(shortConditions(merged)).toEqual(['gate=True', 'Ready=False']);
    expect(merged.resourceClaimStatuses).toEqual([{ name: 'gpu' }]);
  });

  it('holds back a terminal phase and its reason while containers may run, but not container statuses', () => {
    const ended: PodStatus = { phase: 'Failed', reason: 'DeadlineExceeded', message: 'm', conditions: [disrupted], containerStatuses: [] };
    expect(merge({ phase: 'Running' }, ended, true)).toEqual({ phase: 'Running', conditions: [], containerStatuses: [] });
    expect(merge({ phase: 'Running' }, ended)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded', message: 'm' });
    expect(merge({ phase: 'Failed' }, ended, true)).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('reports a disruption only when the pod terminates, with that transition time', () => {
    const disruption = (apiStatus: PodStatus, newStatus: PodStatus) =>
      merge(apiStatus, { ...newStatus, conditions: [disrupted] }).conditions?.find(({ type }) => type === 'DisruptionTarget');
    expect(disruption({ phase: 'Running' }, { phase: 'Running' })).toBeUndefined();
    expect(disruption({ phase: 'Running' }, { phase: 'Failed' })?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
    expect(disruption({ phase: 'Running', conditions: [disrupted] }, { phase: 'Failed' })?.lastTransitionTime).toBe(before);
  });

  it('never reports a terminated pod as ready', () => {
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: before },
      { type: 'ContainersReady', status: 'False', lastTransitionTime: before },
    ];
    expect(merge({ phase: 'Running' }, { phase: 'Succeeded', conditions }).conditions).toEqual([
      { type: 'Ready', status: 'False', reason: 'PodCompleted', observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' },
      { type: 'ContainersReady', status: 'False', reason: 'PodCompleted', observedGeneration: 1, lastTransitionTime: before },
    ]);
    expect(shortConditions(merge({ phase: 'Running' }, { phase: 'Failed', conditions }, true))).toContain('Ready=True');
  });

  it('omits absent fields', () => {
    expect(Object.keys(merge({ phase: 'Running' }, { phase: 'Failed', reason: 'R' }, true)).sort()).toEqual(['conditions', 'phase']);
  });
});
