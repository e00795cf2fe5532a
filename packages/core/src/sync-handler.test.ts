import { type Pod, type PodConfigOperation, podUid, silentLogger, type UpdatePodOptions } from '@nodeagent/api';
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
        told.push(`${type} ${pod?.metadata?.uid}`);
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
  const handle = (op: PodConfigOperation, pod: Pod, source = 'api') => {
    handler.handleConfigUpdate({ op, pods: [pod], source });
    return told.splice(0);
  };
  return { handler, causes, handle, reconcile: (pod: Pod) => handle('RECONCILE', pod) };
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

const containerStatuses = [{ name: 'main', image: 'busybox:1', imageID: '', ready: true, restartCount: 0 }];
const gated = (gate: 'True' | 'False') =>
  buildPod({
    name: 'gated',
    uid: 'gated',
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

describe('a status that others changed', () => {
  it('makes the pod sync when a readiness gate opened', () => {
    expect(setUp().reconcile(gated('True'))).toEqual(['sync gated']);
  });

  it('is only noted when Ready still holds, and for pods without gates', () => {
    const { reconcile } = setUp();
    expect(reconcile(gated('False'))).toEqual([]);
    expect(reconcile(buildPod({ name: 'plain', status: { phase: 'Running' } }))).toEqual([]);
  });
});

describe('a mirror pod', () => {
  const gate = { readinessGates: [{ conditionType: 'x.io/go' }] };
  const staticPod = buildPod({ name: 'web', uid: 'static', ...gate, annotations: { 'kubernetes.io/config.source': 'file' } });
  const mirror = buildPod({ name: 'web', uid: 'mirror', ...gate, annotations: { 'kubernetes.io/config.mirror': 'h' } });

  it('has its changes looked at by the static pod’s worker, which its end does not end', () => {
    const { handle } = setUp();
    expect(handle('ADD', staticPod, 'file')).toEqual(['create static']);
    for (const op of ['ADD', 'UPDATE', 'DELETE', 'REMOVE'] as const) expect([op, ...handle(op, mirror)]).toEqual([op, 'update static']);
    expect(handle('REMOVE', staticPod, 'file')).toEqual(['kill static']);
  });

  it('is never worked on itself', () => {
    const { handle } = setUp();
    for (const op of ['ADD', 'UPDATE', 'RECONCILE', 'REMOVE'] as const) expect(handle(op, mirror)).toEqual([]);
    handle('ADD', staticPod, 'file');
    const open: Pod = { ...mirror, status: gated('True').status ?? {} };
    expect(handle('RECONCILE', open)).toEqual([]);
  });
});
