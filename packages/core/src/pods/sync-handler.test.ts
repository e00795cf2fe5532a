import { type Pod, type PodConfigOperation, type ProbeUpdate, silentLogger, type UpdatePodOptions } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createPodManager } from '@nodeagent/pod-sources';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createSyncHandler } from './sync-handler.js';

function setUp({ allSourcesReady = true } = {}) {
  const terminating = new Set<string>();
  const calls: string[] = [];
  const causes: unknown[] = [];
  const handler = createSyncHandler({
    pods: createPodManager(),
    podWorkers: {
      updatePod({ type, pod, cause }: UpdatePodOptions) {
        calls.push(`${type} ${pod?.metadata?.name}`);
        causes.push(cause);
      },
      isPodTerminationRequested: (uid) => uid === 'ending',
      isPodForMirrorPodTerminatingByFullName: (fullName) => terminating.has(fullName),
    },
    findReplaced: async () => () => false,
    statusManager: {
      setContainerReadiness: (_uid, id, ready) => void calls.push(`ready ${id} ${ready}`),
      setContainerStartup: (_uid, id, started) => void calls.push(`started ${id} ${started}`),
    },
    allocation: {
      addPod: async (pod) => {
        calls.push(`admit ${pod.metadata?.name}`);
        return pod.metadata?.name === 'big' ? { admit: false, reason: 'OutOfcpu', message: 'full' } : { admit: true };
      },
      pushPendingResize: ({ metadata }) => calls.push(`allocate ${metadata?.name}`) > 0,
      retryPendingResizes: async (trigger) => void calls.push(`retry ${trigger}`),
    },
    onPodRejected: (pod, { reason }) => calls.push(`reject ${pod.metadata?.name} ${reason}`),
    onSourceSeen: () => {},
    allSourcesReady: () => allSourcesReady,
    onContainerDied: () => {},
    onPodAdded: () => {},
    onPodRemoved: () => {},
    housekeeping: async () => true,
    now: () => 0,
    logger: silentLogger,
  });
  const handle = async (op: PodConfigOperation, ...pods: Pod[]) => {
    await handler.handleConfigUpdate({ op, pods, source: 'api' });
    return calls.splice(0);
  };
  const reconcile = (pod: Pod) => {
    void handler.handleConfigUpdate({ op: 'RECONCILE', pods: [pod], source: 'api' });
    return calls.splice(0);
  };
  const housekeep = async () => [await handler.housekeeping(), ...calls.splice(0)];
  return { handler, calls, causes, reconcile, handle, terminating, housekeep };
}

it('passes the cause of each update to the workers', async () => {
  const { handler, causes } = setUp();
  const pod = buildPod({ name: 'p' });
  const uid = podUid(pod);
  await handler.handleConfigUpdate({ op: 'ADD', pods: [pod], source: 'file' });
  handler.handlePodLifecycleEvent({ type: 'ContainerDied', podUid: uid, containerId: 'c1' });
  handler.handlePodLifecycleEvent({ type: 'PodSync', podUid: uid });
  handler.syncPods([uid]);
  handler.syncPods([uid], 'Resize');
  await handler.handleConfigUpdate({ op: 'REMOVE', pods: [pod], source: 'file' });
  expect(causes).toEqual([
    { event: 'ADD', source: 'file' },
    { event: 'ContainerDied', containerId: 'c1' },
    { event: 'PodSync' },
    { event: 'Due' },
    { event: 'Resize' },
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

  it('causes no sync if Ready is still valid, nor for pods without gates', () => {
    const { reconcile } = setUp();
    expect(reconcile(gated('False'))).toEqual([]);
    expect(reconcile(buildPod({ name: 'plain', status: { phase: 'Running' } }))).toEqual([]);
  });
});

describe('a static pod that replaces another', () => {
  const version = (uid: string) => buildPod({ name: 'static', uid, annotations: { 'kubernetes.io/config.source': 'file' } });

  it('is admitted in its last version once the other has terminated', async () => {
    const { handle, terminating, housekeep } = setUp();
    await handle('ADD', version('a'));
    terminating.add('static_default');
    await handle('REMOVE', version('a'));
    expect(await handle('ADD', version('b'))).toEqual(['retry pods_added']);
    expect(await handle('UPDATE', version('b'))).toEqual(['retry pod_updated']);
    expect(await housekeep()).toEqual([false]);
    terminating.clear();
    expect(await housekeep()).toEqual([true, 'admit static', 'allocate static', 'create static']);
  });

  it('is not admitted if it is removed meanwhile', async () => {
    const { handle, terminating, housekeep } = setUp();
    terminating.add('static_default');
    await handle('ADD', version('b'));
    expect(await handle('REMOVE', version('b'))).toEqual(['retry pods_removed']);
    terminating.clear();
    expect(await housekeep()).toEqual([true]);
  });
});

describe('a mirror pod', () => {
  const gate = { readinessGates: [{ conditionType: 'x.io/go' }] };
  const staticPod = buildPod({ name: 'static', ...gate, annotations: { 'kubernetes.io/config.source': 'file' } });
  const mirror = buildPod({ name: 'static', uid: 'mirror', ...gate, annotations: { 'kubernetes.io/config.mirror': 'h' } });
  const forWorkers = (calls: string[]) => calls.filter((line) => /^(create|update|sync|kill) /.test(line));

  it('is synced by the static pod’s worker, which survives its deletion', async () => {
    const { handle } = setUp();
    expect(forWorkers(await handle('ADD', staticPod))).toEqual(['create static']);
    for (const op of ['ADD', 'UPDATE', 'DELETE', 'REMOVE'] as const) {
      expect([op, ...forWorkers(await handle(op, mirror))]).toEqual([op, 'update static']);
    }
    expect(forWorkers(await handle('REMOVE', staticPod))).toEqual(['kill static']);
  });

  it('gets no worker', async () => {
    const { handle } = setUp();
    for (const op of ['ADD', 'UPDATE', 'RECONCILE', 'REMOVE'] as const) expect(forWorkers(await handle(op, mirror))).toEqual([]);
    await handle('ADD', staticPod);
    const open: Pod = { ...mirror, status: gated('True').status ?? {} };
    expect(forWorkers(await handle('RECONCILE', open))).toEqual([]);
  });
});

describe('a pod', () => {
  const [web, big] = [buildPod({ name: 'web' }), buildPod({ name: 'big' })];

  it('is admitted before its worker is updated; a rejected one gets none', async () => {
    expect(await setUp().handle('ADD', web, big)).toEqual([
      'admit web',
      'allocate web',
      'create web',
      'admit big',
      'reject big OutOfcpu',
      'retry pods_added',
    ]);
  });

  it('is not admitted if it is terminal, terminating, being deleted, or a mirror pod', async () => {
    const { handle } = setUp();
    const deleted = buildPod({ name: 'big', uid: 'deleted', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const ended = buildPod({ name: 'ended', status: { phase: 'Failed' } });
    const ending = buildPod({ name: 'again', uid: 'ending' });
    const mirror = buildPod({ name: 'web', uid: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'x' } });
    expect(await handle('ADD', ended, ending, deleted, mirror)).toEqual(['create ended', 'create again', 'create big', 'retry pods_added']);
  });

  it('gets its resources allocated before its worker is updated, and frees them when it is removed', async () => {
    const { handle } = setUp();
    await handle('ADD', web);
    expect(await handle('UPDATE', web)).toEqual(['allocate web', 'retry pod_updated', 'update web']);
    expect(await handle('REMOVE', web)).toEqual(['kill web', 'retry pods_removed']);
  });
});

it('does not kill a removed pod while another source may still deliver it', async () => {
  const { handle } = setUp({ allSourcesReady: false });
  const moved = buildPod({ name: 'moved' });
  await handle('ADD', moved);
  expect(await handle('REMOVE', moved)).toEqual(['retry pods_removed']);
});

it('passes probe results to the status and the worker, except liveness successes', async () => {
  const { handler, calls, causes, handle } = setUp();
  const pod = buildPod({ name: 'p' });
  await handle('ADD', pod);
  causes.length = 0;
  const update = (type: ProbeUpdate['type'], result: ProbeUpdate['result'], uid = podUid(pod)) =>
    handler.handleProbeUpdate({ type, podUid: uid, containerId: 'c', result });
  update('Liveness', 'Success');
  update('Readiness', 'Success', 'unknown');
  expect(calls.splice(0)).toEqual(['ready c true']);
  update('Liveness', 'Failure');
  update('Readiness', 'Success');
  update('Startup', 'Unknown');
  expect(calls).toEqual(['sync p', 'ready c true', 'sync p', 'started c false', 'sync p']);
  expect(causes).toEqual([{ event: 'LivenessProbe' }, { event: 'ReadinessProbe' }, { event: 'StartupProbe' }]);
});
