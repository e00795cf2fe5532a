import { type Pod, silentLogger, type UpdatePodOptions } from '@nodeagent/api';
import { createPodManager } from '@nodeagent/pod-sources';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createSyncHandler } from './sync-handler.js';

function setUp() {
  const told: string[] = [];
  const handler = createSyncHandler({
    pods: createPodManager(),
    podWorkers: { updatePod: ({ type, pod }: UpdatePodOptions) => void told.push(`${type} ${pod?.metadata?.name}`) },
    onSourceSeen: () => {},
    allSourcesReady: () => true,
    onContainerDied: () => {},
    onPodAdded: () => {},
    onPodRemoved: () => {},
    housekeeping: async () => true,
    now: () => 0,
    logger: silentLogger,
  });
  const reconcile = (pod: Pod) => {
    handler.handleConfigUpdate({ op: 'RECONCILE', pods: [pod], source: 'api' });
    return told.splice(0);
  };
  return { reconcile };
}

describe('a status that others changed', () => {
  const containerStatuses = [{ name: 'main', image: 'busybox:1', imageID: '', ready: true, restartCount: 0 }];
  const gated = (gate: 'True' | 'False') =>
    buildPod({
      name: 'gated',
      readinessGates: [{ conditionType: 'x.io/go' }],
      status: {
        phase: 'Running',
        containerStatuses,
        conditions: [
          { type: 'x.io/go', status: gate },
          {
            type: 'Ready',
            status: 'False',
            reason: 'ReadinessGatesNotReady',
            message: 'the status of pod readiness gate "x.io/go" is not "True", but False',
          },
        ],
      },
    });

  it('makes the pod sync when a readiness gate opened', () => {
    expect(setUp().reconcile(gated('True'))).toEqual(['sync gated']);
  });

  it('is only noted when Ready still holds, and for pods without gates', () => {
    const { reconcile } = setUp();
    expect(reconcile(gated('False'))).toEqual([]);
    expect(reconcile(buildPod({ name: 'plain', status: { phase: 'Running' } }))).toEqual([]);
  });
});
