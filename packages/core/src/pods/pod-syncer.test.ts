import {
  NodeAgentError,
  type Pod,
  type PodRuntimeStatus,
  type PodStatus,
  type PodSyncResult,
  type ProbeManager,
  type Runtime,
  type VolumeManager,
} from '@nodeagent/api';
import { configSourceAnnotation, isStaticPod } from '@nodeagent/api/helpers';
import { emptyPodStatus } from '@nodeagent/pleg';
import { buildPod, createRecordingLogger, createRecordingRecorder } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { PodDirs } from '../host/pod-dirs.js';
import type { PodCgroupSteps } from './pod-cgroup-steps.js';
import { createPodSyncer, type PodSyncerOptions } from './pod-syncer.js';

const observed = emptyPodStatus('u');
const containerStatus = (name: string, state: 'running' | 'exited') => ({
  id: name,
  name,
  state,
  createdAt: 0n,
  exitCode: 0,
  image: '',
  imageId: '',
  imageRef: '',
  hash: '',
  restartCount: 0,
  reason: '',
  message: '',
  podSandboxId: '',
});

const noVolumes = { waitForAttachAndMount: async () => {}, waitForUnmount: async () => {} };

interface Parts extends Partial<Pick<PodSyncerOptions, 'generateStatus' | 'isRemoved' | 'probeManager'>> {
  volumeManager?: Pick<VolumeManager, 'waitForAttachAndMount' | 'waitForUnmount'>;
  unprepareDynamicResources?(pod: Pod): Promise<void>;
  podDirs?: Pick<PodDirs, 'create'>;
  cgroups?: PodCgroupSteps;
}

function setUp({ volumeManager = noVolumes, ...parts }: Parts = {}) {
  const steps: string[] = [];
  const state = {
    phase: 'Running',
    network: undefined as string | undefined,
    dirError: undefined as Error | undefined,
    synced: { results: [{ action: 'ConfigPodSandbox', target: 's' }] } as PodSyncResult,
    killed: { results: [] } as PodSyncResult,
    left: undefined as PodRuntimeStatus | undefined,
  };
  const syncSignals = new Map<string, AbortSignal>();
  const recorder = createRecordingRecorder();
  const set: PodStatus[] = [];
  const syncer = createPodSyncer({
    runtime: {
      async syncPod() {
        steps.push(`sync ${[...syncSignals.keys()]}`);
        return state.synced;
      },
      async killPod(pod, running, override) {
        steps.push(`kill ${pod?.metadata?.name ?? running.name} ${override}`);
        return state.killed;
      },
      getPod: async () =>
        state.left && ({ ...state.left, containers: [], sandboxes: [] } as unknown as Awaited<ReturnType<Runtime['getPod']>>),
      getPodStatus: async () => state.left ?? observed,
    },
    statusManager: {
      setPodStatus: (_pod, status) => void set.push(status),
      terminatePod: () => void steps.push('terminated'),
    },
    generateStatus: (_pod, _status, terminal) => ({ phase: state.phase, message: terminal ? 'terminal' : '' }),
    startFailures: { update: () => void steps.push('failures noted') },
    podDirs: {
      async create() {
        if (state.dirError) throw state.dirError;
        steps.push('dirs');
      },
    },
    networkError: () => state.network,
    reconcileMirrorPod: (pod) => void steps.push(`mirror ${pod.metadata?.name}`),
    volumeManager,
    ...parts,
    onContainersReset: () => void steps.push('sync again'),
    onTerminated: () => void steps.push('freed'),
    onStatus: () => steps.push('status'),
    onSync: () => undefined,
    syncSignals,
    recorder,
    logger: createRecordingLogger(),
  });
  const signal = new AbortController().signal;
  const sync = (pod: Pod = buildPod({ name: 'p', uid: 'u' })) => syncer.syncPod('sync', pod, observed, signal);
  const end = (pod: Pod = buildPod({ name: 'p', uid: 'u' })) =>
    syncer.syncTerminatingPod(pod, observed, 3, (status) => ({ ...status, reason: 'Evicted' }), signal);
  return { syncer, steps, state, recorder, set, sync, end, syncSignals, signal };
}

describe('syncPod', () => {
  it('runs its steps in order, and reports an unchanged pod', async () => {
    const { sync, steps, syncSignals } = setUp();
    expect(await sync()).toEqual({ terminal: false, changed: false });
    expect([steps, syncSignals.size]).toEqual([['status', 'dirs', 'sync u', 'failures noted'], 0]);
  });

  it('reconciles the mirror pod of a static pod', async () => {
    const { sync, steps } = setUp();
    await sync(buildPod({ name: 'p', uid: 'u', annotations: { 'kubernetes.io/config.source': 'file' } }));
    expect(steps.slice(0, 3)).toEqual(['status', 'mirror p', 'dirs']);
  });

  it('reports that it changed the pod', async () => {
    const { sync, state } = setUp();
    state.synced = { results: [{ action: 'StartContainer', target: 'main' }] };
    expect(await sync()).toEqual({ terminal: false, changed: true });
  });

  it('stops at a terminal pod', async () => {
    const { sync, state, steps } = setUp();
    state.phase = 'Failed';
    expect([await sync(), steps]).toEqual([{ terminal: true, changed: false }, ['status']]);
  });

  it('reconciles the mirror pod of a terminated static pod, which may be outdated', async () => {
    const { sync, state, steps } = setUp();
    state.phase = 'Failed';
    await sync(buildPod({ name: 'p', uid: 'u', annotations: { 'kubernetes.io/config.source': 'file' } }));
    expect(steps).toEqual(['status', 'mirror p']);
  });

  it("waits for the network, unless the pod uses the host's", async () => {
    const { sync, state, recorder } = setUp();
    state.network = 'no cni config';
    await expect(sync()).rejects.toMatchObject({ code: 'NetworkNotReady', message: 'network is not ready: no cni config' });
    expect(recorder.lines).toEqual(['Warning NetworkNotReady network is not ready: no cni config']);
    expect(await sync(buildPod({ name: 'p', hostNetwork: true }))).toMatchObject({ terminal: false });
  });

  it('reports errors of directories and volumes', async () => {
    const volumeManager = { ...noVolumes, waitForAttachAndMount: () => Promise.reject(new Error('unmounted volumes=[a]')) };
    const { sync, state, recorder } = setUp({ volumeManager });
    await expect(sync(buildPod({ name: 'p', volumes: [{ name: 'a', emptyDir: {} }] }))).rejects.toMatchObject({ code: 'VolumesNotReady' });
    state.dirError = new Error('no space left on device');
    await expect(sync()).rejects.toMatchObject({ code: 'PodDirsFailed' });
    expect(recorder.lines).toEqual([
      'Warning FailedMount Unable to attach or mount volumes: unmounted volumes=[a]',
      'Warning Failed error making pod data directories: no space left on device',
    ]);
  });

  it.each([
    ['cgroup', []],
    ['folders', ['cgroup']],
    ['volumes', ['cgroup', 'folders']],
  ])('makes no runtime call and probes nothing after it was cancelled while it prepared the %s', async (cancelledIn, before) => {
    const controller = new AbortController();
    const prepared: string[] = [];
    const prepare = (what: string) => async () => {
      if (what === cancelledIn) controller.abort(new Error('context canceled'));
      else prepared.push(what);
    };
    const { syncer, steps, syncSignals } = setUp({
      cgroups: { ensure: prepare('cgroup'), killed: async () => {}, remove: async () => {} },
      podDirs: { create: prepare('folders') },
      // Some volume managers notice the cancel late.
      volumeManager: { ...noVolumes, waitForAttachAndMount: prepare('volumes') },
      probeManager: { addPod: () => prepared.push('probes') } as unknown as ProbeManager,
    });
    const pod = buildPod({
      name: 'p',
      uid: 'u',
      volumes: [{ name: 'v', emptyDir: {} }],
      annotations: { 'kubernetes.io/config.source': 'file' },
    });
    await expect(syncer.syncPod('sync', pod, observed, controller.signal)).rejects.toThrow('context canceled');
    expect([prepared.filter((step) => step !== 'volumes'), syncSignals.size]).toEqual([before, 0]);
    expect(steps).toEqual(cancelledIn === 'cgroup' ? ['status'] : ['status', 'mirror p']);
  });

  it('returns all failures as causes of one error, with the end of each back-off', async () => {
    const { sync, state } = setUp();
    const backOff = (name: string, expiry: number) => new NodeAgentError('CrashLoopBackOff', `back-off ${name}`, { details: { expiry } });
    const failed = (target: string, error: Error) => ({ action: 'StartContainer' as const, target, error });
    const reasons = [{ action: 'start', target: 'a', reason: 'it exited' }] as const;
    state.synced = { results: [failed('a', backOff('a', 20))], reasons };
    expect(await sync()).toMatchObject({ reasons, error: { code: 'CrashLoopBackOff', message: 'back-off a', details: { expiry: 20 } } });
    state.synced = {
      results: [failed('a', new Error('no memory')), failed('b', backOff('b', 10)), failed('c', backOff('b', 10))],
      error: new Error('other'),
    };
    expect(await sync()).toMatchObject({
      terminal: false,
      error: {
        code: 'SyncFailed',
        message: '[no memory, back-off b, other]',
        cause: { errors: [{ message: 'no memory' }, { details: { expiry: 10 } }, { message: 'other' }] },
      },
    });
  });
});

describe('syncTerminatingPod', () => {
  it("kills the pod, reads its status again, and reports it with the caller's reason", async () => {
    const { end, steps, set } = setUp();
    await end();
    expect(steps).toEqual(['kill p 3']);
    expect(set).toEqual([
      { phase: 'Running', message: '', reason: 'Evicted' },
      { phase: 'Running', message: 'terminal', reason: 'Evicted' },
    ]);
  });

  it('reports the end only once the claims are unprepared', async () => {
    let unprepare = () => {};
    const unprepared = new Promise<void>((resolve) => (unprepare = resolve));
    const { end, set } = setUp({ unprepareDynamicResources: () => unprepared });
    const ended = end();
    await new Promise(setImmediate);
    expect(set.map(({ message }) => message)).toEqual(['']);
    unprepare();
    await ended;
    expect(set.map(({ message }) => message)).toEqual(['', 'terminal']);
    const failing = setUp({ unprepareDynamicResources: () => Promise.reject(new Error('the driver failed')) });
    await expect(failing.end()).rejects.toThrow('the driver failed');
    expect(failing.set).toHaveLength(1);
  });

  it('keeps readiness probes until the containers have stopped', async () => {
    const probes: string[] = [];
    const probeManager = {
      stopLivenessAndStartup: () => probes.push('no liveness and startup probes'),
      removePod: () => probes.push('no probes'),
    } as unknown as ProbeManager;
    const { end, state } = setUp({ probeManager });
    state.killed = { results: [{ action: 'KillContainer', target: 'main', error: new Error('busy') }] };
    await expect(end()).rejects.toMatchObject({ code: 'KillPodFailed' });
    expect(probes.splice(0)).toEqual(['no liveness and startup probes']);
    state.killed = { results: [] };
    await end();
    expect(probes).toEqual(['no liveness and startup probes', 'no probes']);
  });

  it('fails with the containers that could not be stopped', async () => {
    const { end, state, recorder } = setUp();
    state.killed = { results: [{ action: 'KillContainer', target: 'main', error: new Error('busy') }] };
    await expect(end()).rejects.toMatchObject({ code: 'KillPodFailed' });
    expect(recorder.lines).toEqual(['Warning FailedKillPod error killing pod: busy']);
  });

  it('emits no event for a kill that a shorter grace period cancels', async () => {
    const { syncer, state, recorder } = setUp();
    const cancelled = new AbortController();
    cancelled.abort(new Error('context canceled'));
    state.killed = { results: [], error: new Error('aborted') };
    const pod = buildPod({ name: 'p', uid: 'u' });
    await expect(syncer.syncTerminatingPod(pod, observed, 600, undefined, cancelled.signal)).rejects.toThrow('context canceled');
    expect(recorder.lines).toEqual([]);
  });

  it('fails if containers still run after a successful kill', async () => {
    const { end, state } = setUp();
    state.left = { ...observed, containerStatuses: [containerStatus('main', 'running'), containerStatus('b', 'exited')] };
    await expect(end()).rejects.toThrow('detected running containers after a successful KillPod, CRI violation: [main]');
  });
});

it('kills an orphaned pod with a grace period of one second', async () => {
  const { syncer, steps, state, signal } = setUp();
  const running = { uid: 'x', name: 'orphan', namespace: 'd', containers: [], sandboxes: [] };
  await syncer.syncTerminatingRuntimePod(running, signal);
  expect(steps).toEqual(['kill orphan 1']);
  state.killed = { results: [], error: new Error('busy') };
  await expect(syncer.syncTerminatingRuntimePod(running, signal)).rejects.toThrow('busy');
});

it('fails a pod whose volumes the node can never attach', async () => {
  const error = new NodeAgentError('VolumeAttachmentLimitExceeded', 'Node has reached its volume attachment limit, rejecting pod.');
  const volumeManager = { waitForAttachAndMount: () => Promise.reject(error) } as unknown as VolumeManager;
  const { sync, recorder } = setUp({ volumeManager });
  const pod = buildPod({ name: 'p', volumes: [{ name: 'v', emptyDir: {} }] });
  expect(await sync(pod)).toEqual({ terminal: true, changed: false });
  expect(recorder.lines).toEqual([`Warning VolumeAttachmentLimitExceeded ${error.message}`]);
});

it("reports a terminated pod with the caller's reason", async () => {
  const { syncer, set, signal } = setUp();
  await syncer.syncTerminatedPod(buildPod({ name: 'a' }), observed, signal, (status) => ({
    ...status,
    phase: 'Failed',
    reason: 'Evicted',
  }));
  expect(set).toEqual([{ phase: 'Failed', message: 'terminal', reason: 'Evicted' }]);
});

it('reports the last status of a static pod as one that can restart, unless its source has removed it', async () => {
  const reported: (boolean | undefined)[] = [];
  for (const isRemoved of [false, true]) {
    const { syncer, signal } = setUp({
      isRemoved: () => isRemoved,
      generateStatus(pod) {
        reported.push(isStaticPod(pod));
        return { phase: 'Running' };
      },
    });
    await syncer.syncTerminatedPod(buildPod({ name: 'a', annotations: { [configSourceAnnotation]: 'file' } }), observed, signal);
  }
  expect(reported).toEqual([true, false]);
});

it('releases a terminated pod after its volumes are unmounted', async () => {
  const waits: string[] = [];
  const volumeManager = { waitForUnmount: async (pod: Pod) => void waits.push(pod.metadata?.name ?? '') } as unknown as VolumeManager;
  const { syncer, steps, signal } = setUp({ volumeManager });
  await syncer.syncTerminatedPod(buildPod({ name: 'a' }), observed, signal);
  await syncer.syncTerminatedPod(buildPod({ name: 'b', volumes: [{ name: 'v', emptyDir: {} }] }), observed, signal);
  expect([steps, waits]).toEqual([['freed', 'terminated', 'freed', 'terminated'], ['b']]);
});
