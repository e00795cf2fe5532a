import { errorCode, NodeAgentError, type Pod, type PodCache, type PodRuntimeStatus, type PodSyncer } from '@nodeagent/api';
import { configSourceAnnotation } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createPodWorkers, type PodWorkersOptions, type TurnQueue } from './pod-workers.js';
import { createWorkQueue } from './work-queue.js';

const pod = (uid: string, { name = uid, source = 'api', phase = 'Running', grace = 30 } = {}): Pod => ({
  metadata: { uid, name, namespace: 'ns', annotations: { [configSourceAnnotation]: source } },
  spec: { containers: [{ name: 'main', image: 'i' }], terminationGracePeriodSeconds: grace },
  status: { phase },
});

const emptyStatus = (uid: string): PodRuntimeStatus => ({
  uid,
  name: '',
  namespace: '',
  ips: [],
  containerStatuses: [],
  activeContainerStatuses: [],
  sandboxStatuses: [],
});

/** A gate that a fake waits at until the test opens it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

function setUp(syncer: Partial<PodSyncer> = {}, options: Partial<PodWorkersOptions> = {}) {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const asked: [string, number][] = [];
  let revisions = 0;
  const cache: PodCache = {
    get: emptyStatus,
    revision: () => ++revisions,
    async getNewerThan(uid, time) {
      asked.push([uid, time]);
      return emptyStatus(uid);
    },
  };
  const events: string[] = [];
  const note = (text: string) => calls.push(`${clock.monotonic()} ${text}`);
  const workers = createPodWorkers({
    syncer: {
      async syncPod(type, one, status, signal) {
        note(`sync ${one.metadata?.uid} ${type}`);
        return (await syncer.syncPod?.(type, one, status, signal)) ?? { terminal: false, changed: false };
      },
      async syncTerminatingPod(one, status, grace, statusFunc, signal) {
        note(`terminating ${one.metadata?.uid} ${grace}`);
        return syncer.syncTerminatingPod?.(one, status, grace, statusFunc, signal);
      },
      async syncTerminatingRuntimePod(running, signal) {
        note(`runtime ${running.uid}`);
        await syncer.syncTerminatingRuntimePod?.(running, signal);
      },
      async syncTerminatedPod(one, status, signal, statusFunc) {
        note(`terminated ${one.metadata?.uid}`);
        await syncer.syncTerminatedPod?.(one, status, signal, statusFunc);
      },
    },
    cache,
    clock,
    random: () => 0,
    recorder: { event: (object, type, reason, message) => events.push(`${object.name} ${type} ${reason}: ${message}`) },
    ...options,
  });
  return { clock, workers, calls, asked, cache, events };
}

describe('syncs', () => {
  it('run, terminate and clean up a pod, and then stop', async () => {
    const { clock, workers, calls } = setUp();
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    workers.updatePod({ type: 'kill', pod: pod('a') });
    await clock.settle();
    expect(calls).toEqual(['0 sync a create', '0 terminating a 30', '0 terminated a']);
    expect(workers.shouldPodBeFinished('a')).toBe(true);
    await clock.advance(600_000);
    expect(calls).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it('run one at a time, the next with the latest update', async () => {
    const wait = gate();
    const { clock, workers, calls } = setUp({ syncPod: async () => wait.opened.then(() => ({ terminal: false, changed: false })) });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    workers.updatePod({ type: 'sync', pod: pod('a') });
    workers.updatePod({ type: 'update', pod: pod('a') });
    await clock.settle();
    expect(calls).toEqual(['0 sync a create']);
    wait.open();
    await clock.settle();
    expect(calls).toEqual(['0 sync a create', '0 sync a update']);
  });

  it('of different pods run concurrently', async () => {
    const { clock, workers, calls } = setUp({ syncPod: () => new Promise(() => {}) });
    for (const uid of ['a', 'b', 'c']) workers.updatePod({ type: 'create', pod: pod(uid) });
    await clock.settle();
    expect(calls).toHaveLength(3);
  });

  it('repeat after the resync interval, and sooner after an error', async () => {
    let fail = true;
    const { clock, workers, calls } = setUp({
      async syncPod() {
        if (fail) throw new Error('boom');
        return { terminal: false, changed: false };
      },
    });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.advance(15_000);
    fail = false;
    await clock.advance(70_000);
    expect(calls).toEqual(['0 sync a create', '10001 sync a sync', '20002 sync a sync', '80003 sync a sync']);
  });

  it('are delayed until the end of the back-off in the error', async () => {
    const { clock, workers, calls } = setUp({
      async syncPod() {
        const error = new NodeAgentError('CrashLoopBackOff', 'back-off', { details: { expiry: clock.now() + 25_000 } });
        throw new AggregateError([error]);
      },
    });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.advance(26_000);
    expect(calls).toEqual(['0 sync a create', '25001 sync a sync']);
  });

  it('terminate a pod whose containers have completed', async () => {
    const { clock, workers, calls } = setUp({ syncPod: async () => ({ terminal: true, changed: false }) });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    expect(calls).toEqual(['0 sync a create', '0 terminating a undefined', '0 terminated a']);
  });

  it('request a relist of the pod, and report a change, only if they changed its containers', async () => {
    const relists: string[] = [];
    const unchanged: boolean[] = [];
    const answers = [{ terminal: false, changed: true }, { terminal: false, changed: false }, new Error('boom')];
    const { clock, workers } = setUp(
      {
        async syncPod() {
          const answer = answers.shift() ?? { terminal: false, changed: false };
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
      { requestRelist: (uid) => relists.push(uid), onSynced: (_uid, isUnchanged) => unchanged.push(isUnchanged) },
    );
    for (let i = 0; i < 3; i++) {
      workers.updatePod({ type: 'sync', pod: pod('a') });
      await clock.settle();
    }
    expect([relists, unchanged]).toEqual([['a'], [false, true, false]]);
    workers.updatePod({ type: 'kill', pod: pod('a') });
    await clock.settle();
    expect(unchanged.slice(3)).toEqual([false, false]);
  });

  it('use the status in which the containers have stopped', async () => {
    const revision = 0.5;
    const { clock, workers, asked } = setUp({ syncTerminatingPod: async () => ({ stoppedRevision: revision }) });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    workers.updatePod({ type: 'kill', pod: pod('a') });
    await clock.settle();
    expect(asked.at(-1)).toEqual(['a', revision]);
  });

  it('wait for a status newer than the last sync with changes, also if the wall clock jumps', async () => {
    const { clock, workers, asked } = setUp({ syncPod: async () => ({ terminal: false, changed: true }) });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.advance(500);
    clock.jump(3_600_000);
    workers.updatePod({ type: 'update', pod: pod('a') });
    await clock.advance(500);
    workers.updatePod({ type: 'update', pod: pod('a') });
    await clock.settle();
    expect(asked).toEqual([
      ['a', Number.NEGATIVE_INFINITY],
      ['a', 1],
      ['a', 2],
    ]);
  });

  it('need a newer status after a failed sync, but not after one without changes', async () => {
    const answers = [{ terminal: false, changed: true }, { terminal: false, changed: false }, new Error('boom')];
    const { clock, workers, asked } = setUp({
      async syncPod() {
        const answer = answers.shift() ?? { terminal: false, changed: false };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    for (let i = 0; i < 4; i++) {
      workers.updatePod({ type: 'update', pod: pod('a') });
      await clock.advance(500);
    }
    expect(asked).toEqual([
      ['a', Number.NEGATIVE_INFINITY],
      ['a', 1],
      ['a', 1],
      ['a', 2],
    ]);
  });

  it('need a newer status after a sync that started no container because of an error', async () => {
    const { clock, workers, asked } = setUp({ syncPod: async () => ({ terminal: false, changed: false, error: new Error('no image') }) });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    workers.updatePod({ type: 'update', pod: pod('a') });
    await clock.settle();
    expect(asked).toEqual([
      ['a', Number.NEGATIVE_INFINITY],
      ['a', 1],
    ]);
  });

  it('need a newer status after the termination', async () => {
    const { clock, workers, asked } = setUp();
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.advance(500);
    workers.updatePod({ type: 'kill', pod: pod('a') });
    await clock.advance(500);
    expect(asked).toEqual([
      ['a', Number.NEGATIVE_INFINITY],
      ['a', Number.NEGATIVE_INFINITY],
      ['a', 1],
    ]);
  });

  it('fail with an event without a runtime status, and are retried', async () => {
    const { clock, workers, calls, events, cache } = setUp();
    const answer = cache.getNewerThan;
    cache.getNewerThan = async () => {
      throw new Error('runtime is down');
    };
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    expect(events).toEqual(['a Warning FailedSync: error determining status: runtime is down']);
    cache.getNewerThan = answer;
    await clock.advance(10_001);
    expect(calls).toEqual(['10001 sync a sync']);
  });

  it('only enqueue the next sync in a work queue of the caller', async () => {
    const clock = createVirtualClock();
    const workQueue = createWorkQueue({ clock });
    const { workers, calls } = setUp({}, { clock, workQueue });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.advance(120_000);
    expect(calls).toHaveLength(1);
    expect(workQueue.takeDue()).toEqual(['a']);
  });

  it('pass the pod with its allocated resources to the syncer', async () => {
    const granted = pod('a');
    const seen: Pod[] = [];
    const { clock, workers } = setUp(
      {
        async syncPod(_type, one) {
          seen.push(one);
          return { terminal: false, changed: false };
        },
      },
      { allocatedPod: () => granted },
    );
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    expect(seen[0]).toBe(granted);
  });
});

describe('a kill', () => {
  it('cancels a running sync', async () => {
    const { clock, workers, calls } = setUp({
      syncPod: (_type, _pod, _status, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    workers.updatePod({ type: 'kill', pod: pod('a') });
    await clock.settle();
    expect(calls).toEqual(['0 sync a create', '0 terminating a 30', '0 terminated a']);
  });

  it('cancels a wait for the runtime status', async () => {
    const { clock, workers, calls, cache } = setUp();
    let held = true;
    cache.getNewerThan = (uid, _time, signal) =>
      held
        ? new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
        : Promise.resolve(emptyStatus(uid));
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    expect(workers.explain('a')?.waitingFor).toBe('runtimeStatus');
    held = false;
    workers.updatePod({ type: 'kill', pod: pod('a') });
    await clock.settle();
    expect(calls).toEqual(['0 terminating a 30', '0 terminated a']);
  });
});

describe('a status function', () => {
  const named = (name: string) => Object.assign((status: object) => status, { text: name });
  const textOf = (statusFunc: unknown) => (statusFunc as { text?: string } | undefined)?.text;

  it('is that of the last kill, also in the sync after the containers have stopped and its retries', async () => {
    const seen: string[] = [];
    let fails = 1;
    const { clock, workers } = setUp({
      syncTerminatingPod: async (_pod, _status, _grace, statusFunc) => void seen.push(`terminating ${textOf(statusFunc)}`),
      async syncTerminatedPod(_pod, _status, _signal, statusFunc) {
        seen.push(`terminated ${textOf(statusFunc)}`);
        if (fails-- > 0) throw new Error('busy');
      },
    });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    for (const name of ['first', 'last']) workers.updatePod({ type: 'kill', pod: pod('a'), killOptions: { podStatusFunc: named(name) } });
    await clock.advance(60_000);
    expect(seen).toEqual(['terminating last', 'terminated last', 'terminated last']);
  });

  it('that is registered while the containers of a completed pod are cleaned up changes nothing', async () => {
    const wait = gate();
    const seen: unknown[] = [];
    const { clock, workers } = setUp({
      syncPod: async () => ({ terminal: true, changed: false }),
      async syncTerminatingPod(_pod, _status, _grace, statusFunc) {
        seen.push(statusFunc);
        await wait.opened;
      },
      syncTerminatedPod: async (_pod, _status, _signal, statusFunc) => void seen.push(statusFunc),
    });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    workers.updatePod({ type: 'kill', pod: pod('a'), killOptions: { podStatusFunc: named('late') } });
    wait.open();
    await clock.settle();
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('a shorter grace period', () => {
  /** Rejects when the signal aborts. */
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

  it('cancels the termination in progress, and the next one uses it', async () => {
    let held = true;
    const { clock, workers, calls } = setUp({
      syncTerminatingPod: async (_pod, _status, _grace, _statusFunc, signal) => (held ? untilAborted(signal) : undefined),
    });
    const deleted = (deletionGracePeriodSeconds: number): Pod => ({
      ...pod('a', { grace: 600 }),
      metadata: { ...pod('a').metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds },
    });
    workers.updatePod({ type: 'create', pod: pod('a', { grace: 600 }) });
    await clock.settle();
    workers.updatePod({ type: 'update', pod: deleted(600) });
    await clock.advance(10_000);
    workers.updatePod({ type: 'update', pod: deleted(900) });
    await clock.advance(10_000);
    expect(calls).toEqual(['0 sync a create', '0 terminating a 600']);
    held = false;
    workers.updatePod({ type: 'update', pod: deleted(5) });
    await clock.settle();
    expect(calls.slice(2)).toEqual(['20000 terminating a 5', '20000 terminated a']);
  });

  it('also cancels the termination of a pod that only the runtime knows', async () => {
    const aborted: unknown[] = [];
    const { clock, workers, calls } = setUp({
      syncTerminatingRuntimePod: (_running, signal) => untilAborted(signal).catch((reason) => void aborted.push(reason.name)),
    });
    const runningPod = { uid: 'a', name: 'a', namespace: 'ns', containers: [], sandboxes: [] };
    workers.updatePod({ type: 'kill', runningPod, killOptions: { gracePeriodOverride: 300 } });
    await clock.settle();
    workers.updatePod({ type: 'kill', runningPod, killOptions: { gracePeriodOverride: 10 } });
    expect(workers.explain('a')?.updatePending).toBe(true);
    await clock.settle();
    expect([calls, aborted]).toEqual([['0 runtime a'], ['AbortError']]);
    expect(workers.state('a')).toBeUndefined();
  });
});

describe('killPodNow', () => {
  it('resolves when the containers have stopped, with the override and the last status function', async () => {
    const wait = gate();
    const statusFuncs: unknown[] = [];
    const { clock, workers, calls } = setUp({
      async syncTerminatingPod(_pod, _status, _grace, statusFunc) {
        statusFuncs.push(statusFunc);
        await wait.opened;
      },
    });
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    const podStatusFunc = (status: object) => status;
    let killed = false;
    const killing = workers.killPodNow(pod('a'), { evict: true, gracePeriodOverride: 2, podStatusFunc }).then(() => {
      killed = true;
    });
    await clock.settle();
    expect([calls.at(-1), killed, statusFuncs[0]]).toEqual(['0 terminating a 2', false, podStatusFunc]);
    wait.open();
    await killing;
    expect(workers.shouldPodContentBeRemoved('a')).toBe(true);
    await clock.advance(60_000 + 1);
    expect(clock.pending).toBe(0);
  });

  it('fails after 1.5 times the grace period with an event, while the kill continues', async () => {
    const wait = gate();
    const { clock, workers, events } = setUp({ syncTerminatingPod: () => wait.opened });
    workers.updatePod({ type: 'create', pod: pod('a', { grace: 20 }) });
    await clock.settle();
    const failure = workers.killPodNow(pod('a', { grace: 20 })).catch((error) => error);
    await clock.advance(29_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(await failure).toMatchObject({ code: 'KillPodTimeout', message: 'timeout waiting to kill pod', retryable: true });
    expect(events).toEqual(['a Warning ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.']);
    wait.open();
    await clock.settle();
    expect(workers.isPodKnownTerminated('a')).toBe(true);
  });

  it('resolves at once for a pod that has stopped or finished', async () => {
    const { clock, workers } = setUp();
    workers.updatePod({ type: 'create', pod: pod('a', { phase: 'Succeeded' }) });
    await workers.killPodNow(pod('a'));
    await clock.settle();
    expect(workers.shouldPodBeFinished('a')).toBe(true);
    await workers.killPodNow(pod('a'));
  });

  it('resolves when the pod is forgotten before its first sync', async () => {
    const { clock, workers } = setUp();
    const first = pod('s1', { name: 'static', source: 'file' });
    const second = pod('s2', { name: 'static', source: 'file' });
    workers.updatePod({ type: 'create', pod: first });
    workers.updatePod({ type: 'create', pod: second });
    await clock.settle();
    expect(workers.explain('s2')).toMatchObject({
      waitingFor: 'turn',
      summary: 'Waiting until an earlier static pod with the same name has terminated.',
    });
    const killing = workers.killPodNow(second);
    workers.syncKnownPods([first]);
    await killing;
    expect(workers.explain('s2')).toBeUndefined();
  });

  it('stops waiting when its signal aborts', async () => {
    const { clock, workers } = setUp({ syncTerminatingPod: () => new Promise(() => {}) });
    const controller = new AbortController();
    const failure = workers.killPodNow(pod('a'), { signal: controller.signal }).catch((error) => error);
    await clock.settle();
    controller.abort(new Error('enough'));
    expect(await failure).toEqual(new Error('enough'));
    await expect(workers.killPodNow(pod('a'), { signal: controller.signal })).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });

  it('completes although a callback throws', async () => {
    const { clock, workers } = setUp();
    workers.updatePod({
      type: 'kill',
      pod: pod('a'),
      killOptions: {
        onCompleted: () => {
          throw new Error('callback failed');
        },
      },
    });
    await workers.killPodNow(pod('a'));
    await clock.settle();
    expect(workers.shouldPodBeFinished('a')).toBe(true);
  });
});

describe('pods that only the runtime knows', () => {
  const runningPod = { uid: 'r', name: 'r', namespace: 'ns', containers: [], sandboxes: [] };

  it('are killed without a runtime status, with retries, and then forgotten', async () => {
    let fail = true;
    const { clock, workers, calls, asked } = setUp({
      async syncTerminatingRuntimePod() {
        if (fail) throw new Error('busy');
      },
    });
    workers.updatePod({ type: 'update', runningPod });
    workers.updatePod({ type: 'kill', runningPod });
    await clock.settle();
    fail = false;
    await clock.advance(11_000);
    expect(calls).toEqual(['0 runtime r', '10001 runtime r']);
    expect(asked).toEqual([]);
    expect(workers.explain('r')).toBeUndefined();
  });

  it('never sync concurrently with a new pod of the same UID', async () => {
    const wait = gate();
    let active = 0;
    let maxActive = 0;
    const { clock, workers, calls } = setUp({
      syncTerminatingRuntimePod: () => wait.opened,
      async syncPod() {
        maxActive = Math.max(maxActive, ++active);
        await clock.sleep(1000);
        active--;
        return { terminal: false, changed: false };
      },
    });
    const createAgain = async () => {
      workers.updatePod({ type: 'create', pod: pod('r') });
      for (let i = 0; i < 20; i++) {
        await Promise.resolve();
        workers.updatePod({ type: 'update', pod: pod('r') });
      }
    };
    workers.updatePod({ type: 'kill', runningPod, killOptions: { onCompleted: () => void createAgain() } });
    await clock.settle();
    workers.updatePod({ type: 'update', pod: pod('r') });
    wait.open();
    await clock.advance(5000);
    expect(calls).toEqual(['0 runtime r', '0 sync r create', '1000 sync r update']);
    expect(maxActive).toBe(1);
  });
});

describe('stop', () => {
  it('cancels running syncs, waits for terminations, and ignores later updates', async () => {
    const wait = gate();
    const { clock, workers, calls } = setUp({
      syncPod: (_type, _pod, _status, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
      syncTerminatingPod: () => wait.opened,
    });
    workers.updatePod({ type: 'create', pod: pod('a') });
    const failure = workers.killPodNow(pod('b')).catch(errorCode);
    await clock.settle();
    let stopped = false;
    const stopping = Promise.all([workers.stop(), workers.stop()]).then(() => {
      stopped = true;
    });
    await clock.settle();
    expect([stopped, await failure]).toEqual([false, 'PodWorkersStopped']);
    wait.open();
    await stopping;
    const before = calls.length;
    workers.updatePod({ type: 'create', pod: pod('c') });
    await expect(workers.killPodNow(pod('a'))).rejects.toMatchObject({ code: 'PodWorkersStopped' });
    await clock.advance(600_000);
    expect([calls.length, clock.pending]).toEqual([before, 0]);
  });

  it('cancels syncs that wait for the runtime status', async () => {
    const { clock, workers, cache } = setUp();
    cache.getNewerThan = (_uid, _time, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.settle();
    await workers.stop();
  });
});

describe('explain', () => {
  it('reports the last update, its outcome and the time of the next sync', async () => {
    const { clock, workers } = setUp({
      async syncPod() {
        throw new Error('no image');
      },
    });
    expect(workers.explain('a')).toBeUndefined();
    workers.updatePod({ type: 'create', pod: pod('a') });
    await clock.advance(4000);
    const start = Date.UTC(2026, 0, 1);
    expect(workers.explain('a')).toEqual({
      fullName: 'a_ns',
      state: 'SyncPod',
      summary: 'The last sync failed: no image. Next sync in 6.0 s.',
      finished: false,
      updatePending: false,
      waitingFor: undefined,
      lastUpdate: { type: 'create', at: start },
      lastSync: { work: 'SyncPod', updateType: 'create', startedAt: start, endedAt: start, error: 'no image' },
      nextRetryAt: start + 10_000,
    });
  });
});

it('rejects invalid options', () => {
  for (const field of ['syncFrequencyMs', 'backOffPeriodMs']) {
    expect(() => setUp({}, { [field]: 0 })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  }
});

it('starts a sync when its turn queue does, with the update that is then the latest', async () => {
  const waiting = new Map<string, () => Promise<void>>();
  const createTurnQueue = (uid: string): TurnQueue => ({
    add: (turn) => new Promise((resolve) => waiting.set(uid, () => turn().then(resolve))),
  });
  const { clock, workers, calls } = setUp({}, { createTurnQueue });
  workers.updatePod({ type: 'create', pod: pod('a') });
  workers.updatePod({ type: 'create', pod: pod('b') });
  workers.updatePod({ type: 'update', pod: pod('a') });
  await clock.advance(1000);
  expect(calls).toEqual([]);
  await waiting.get('b')?.();
  await waiting.get('a')?.();
  expect(calls).toEqual(['1000 sync b create', '1000 sync a update']);
});

it('queues one turn for all updates that arrive before it starts', async () => {
  const turns: (() => Promise<void>)[] = [];
  const createTurnQueue = (): TurnQueue => ({
    async add(turn) {
      turns.push(turn);
    },
  });
  const { workers } = setUp({}, { createTurnQueue });
  for (let update = 0; update < 100; update++) workers.updatePod({ type: 'update', pod: pod('a') });
  expect(turns).toHaveLength(1);
  await turns[0]?.();
  workers.updatePod({ type: 'update', pod: pod('a') });
  expect(turns).toHaveLength(2);
});
