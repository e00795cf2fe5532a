import { type Pod, podUid, silentLogger, type UpdatePodOptions } from '@nodeagent/api';
import { createPodManager } from '@nodeagent/pod-sources';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createSyncHandler } from './sync-handler.js';

function setUp() {
  const told: string[] = [];
  const causes: unknown[] = [];
  const handler = createSyncHandler({
    pods: createPodManager(),
    podWorkers: {
      updatePod({ type, pod, cause }: UpdatePodOptions) {
        told.push(`${type} ${pod?.metadata?.name}`);
        causes.push(cause);
      },
    },
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
  return { handler, causes, reconcile };
}

it('tells the workers what brought each update about', () => {
  const { handler, causes } = setUp();
  const pod = buildPod({ name: 'p' });
  const uid = podUid(pod);
  handler.handleConfigUpdate({ op: 'ADD', pods: [pod], source: 'file' });
  handler.handlePodLifecycleEvent({ type: 'ContainerDied', podUid: uid, containerId: 'c1' });
  handler.handlePodLifecycleEvent({ type: 'PodSync', podUid: uid });
  handler.syncPods([uid]);
  handler.handleConfigUpdate({ op: 'REMOVE', pods: [pod], source: 'file' });
  expect(causes).toEqual([
    { event: 'ADD', source: 'file' },
    { event: 'ContainerDied', containerId: 'c1' },
    { event: 'PodSync' },
    { event: 'Due' },
    { event: 'REMOVE', source: 'file' },
  ]);
});

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
