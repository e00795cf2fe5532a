import {
  apiStatusError,
  type DeleteOptions,
  NodeAgentError,
  type ObjectChange,
  type ObjectKey,
  type Pod,
  type PodStatus,
} from '@nodeagent/api';
import { buildPod, createRecordingLogger, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { equalByKubelet } from '../compare/equal.js';
import { createStatusManager } from '../manager/status-manager.js';
import { createApiStatusSink } from './api-status-sink.js';
import { applyStatusPatch } from './apply-status-patch.js';
import type { StatusPatch } from './patch-values.js';

const refused = (code: number, reason: string, retryAfterMs?: number) =>
  apiStatusError({ code, reason, message: reason, ...(retryAfterMs !== undefined && { retryAfterMs }) });

interface Request {
  at: number;
  verb: 'patch' | 'delete' | 'read';
  name: string;
  status?: StatusPatch;
  options?: DeleteOptions;
}

/** An API server for pods with an informer of them that lags behind. */
function setUp(pods: readonly Pod[], { lagMs = 5, callMs = 2, random = seededRandom(1) } = {}) {
  const clock = createVirtualClock();
  const stored = new Map<string, Pod>();
  const seen = new Map<string, Pod>();
  const desired = new Map<string, Pod>();
  const mirrors = new Map<string, string>();
  const listeners = new Set<(change: ObjectChange<Pod> | undefined) => void>();
  const requests: Request[] = [];
  let fail: ((request: Request) => unknown) | undefined;
  let version = 100;
  let lossRate = 0;
  let maxOpen = 0;
  let open = 0;

  const notify = (name: string, object: Pod | undefined) =>
    clock.setTimeout(() => {
      const old = seen.get(name);
      if (object) seen.set(name, object);
      else seen.delete(name);
      for (const listener of listeners) listener({ ...(old && { old }), ...(object && { object }) });
    }, lagMs);
  const put = (pod: Pod) => {
    const next = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(++version) } };
    stored.set(pod.metadata?.name ?? '', next);
    notify(pod.metadata?.name ?? '', next);
    return next;
  };
  const remove = (name: string) => {
    stored.delete(name);
    notify(name, undefined);
  };
  const answer = async (request: Request, signal: AbortSignal | undefined) => {
    requests.push(request);
    maxOpen = Math.max(maxOpen, ++open);
    try {
      const failure = fail?.(request);
      await clock.sleep(failure === 'hangs' ? 1e9 : callMs, signal);
      if (failure !== undefined) throw failure;
      const pod = stored.get(request.name);
      if (pod === undefined) throw refused(404, 'NotFound');
      return pod;
    } finally {
      open--;
    }
  };
  /** Some answers are lost on their way, though what was asked is done. */
  const lost = new Error('socket hang up');
  const checkUid = (pod: Pod, uid: string | undefined) => {
    if (uid !== undefined && uid !== pod.metadata?.uid) throw refused(409, 'Conflict');
  };

  const logger = createRecordingLogger();
  const running = new Set<string>();
  const durations: number[] = [];
  const lookup = {
    podByUid: (uid: string) => desired.get(uid),
    mirrorPodByPod: () => undefined,
    translatePodUid: (uid: string) => mirrors.get(uid) ?? uid,
  };
  const sink = createApiStatusSink({
    clock,
    random,
    logger,
    lookup,
    couldHaveRunningContainers: (uid) => running.has(uid),
    informer: {
      get: ({ name }) => seen.get(name),
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    pods: {
      get: ({ name }, options) => answer({ at: clock.monotonic(), verb: 'read', name }, options?.signal),
      async patch({ name }: ObjectKey, patch, options) {
        const { metadata, status } = patch as { metadata: { uid: string }; status: StatusPatch };
        expect([options?.subresource, options?.type]).toEqual(['status', 'strategic']);
        const pod = await answer({ at: clock.monotonic(), verb: 'patch', name, status }, options?.signal);
        checkUid(pod, metadata.uid);
        const patched = put({ ...pod, status: applyStatusPatch(pod.status ?? {}, status) });
        if (random() < lossRate) throw lost;
        return patched;
      },
      async delete({ name }, options = {}) {
        const { signal, ...rest } = options;
        const pod = await answer({ at: clock.monotonic(), verb: 'delete', name, options: rest }, signal);
        checkUid(pod, options.preconditions?.uid);
        remove(name);
      },
    },
    metrics: {
      counter: () => ({ inc() {} }),
      gauge: () => ({ set() {} }),
      histogram: () => ({ observe: (value) => void durations.push(value) }),
    },
  });
  const manager = createStatusManager({ clock, pods: lookup, sink });
  for (const pod of pods) {
    desired.set(pod.metadata?.uid ?? '', pod);
    seen.set(pod.metadata?.name ?? '', put(pod));
  }
  return {
    clock,
    manager,
    requests,
    desired,
    stored,
    running,
    mirrors,
    durations,
    logger,
    put,
    remove,
    maxOpen: () => maxOpen,
    failWith: (next: typeof fail) => (fail = next),
    loseAnswers: (rate: number) => (lossRate = rate),
    /** The informer’s first list. */
    firstList() {
      for (const listener of listeners) listener(undefined);
    },
    requestLines: () => requests.map(({ verb, name, status }) => `${verb} ${name}${status ? ` ${Object.keys(status).join()}` : ''}`),
    listeners: () => listeners.size,
  };
}

const pod = buildPod({ name: 'web' });
const uid = pod.metadata?.uid ?? '';
const condition = (type: string, status: string) => ({ type, status });
const status = (more: PodStatus): PodStatus => ({ ...pod.status, startTime: '2026-01-01T00:00:00Z', ...more });
const deleted = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };

describe('writing a status', () => {
  it('sends one patch with the changed fields, and none if the API server is up to date', async () => {
    const { manager, clock, requests, requestLines, stored, durations } = setUp([pod]);
    await manager.start();
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    await clock.advance(100);
    expect(requests).toMatchObject([{ verb: 'patch', name: 'web', status: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' } }]);
    manager.setPodStatus(pod, status({ phase: 'Running', conditions: [condition('Ready', 'True')] }));
    await clock.advance(60_000);
    expect(requestLines()).toEqual(['patch web phase,startTime', 'patch web conditions']);
    expect(stored.get('web')?.status).toMatchObject({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
    expect(durations).toEqual([0.003, 0.102]);
    expect(clock.pending).toBe(0);
    await manager.stop();
  });

  it('sends simultaneous changes as one patch, and changes during a request after it', async () => {
    const { manager, clock, requests } = setUp([pod]);
    await manager.start();
    manager.setPodStatus(pod, status({ message: 'a' }));
    manager.setPodStatus(pod, status({ message: 'b' }));
    await clock.advance(11);
    manager.setPodStatus(pod, status({ message: 'c' }));
    manager.setPodStatus(pod, status({ message: 'd' }));
    await clock.advance(100);
    expect(requests.map((request) => request.status?.message)).toEqual(['b', 'd']);
    await manager.stop();
  });

  it('sends a status that changes while a request is in flight right after its answer, not beside it', async () => {
    const { manager, clock, requests, maxOpen } = setUp([pod], { callMs: 500 });
    await manager.start();
    manager.setPodStatus(pod, status({ message: 'a' }));
    await clock.advance(100);
    expect(requests).toHaveLength(1);
    manager.setPodStatus(pod, status({ message: 'b' }));
    await clock.advance(100);
    expect(requests).toHaveLength(1);
    await clock.advance(500);
    expect(requests.map((request) => request.status?.message)).toEqual(['a', 'b']);
    expect(maxOpen()).toBe(1);
    await manager.stop();
  });

  it('sends the first status of a pod at once, and combines later ones in quick succession', async () => {
    const { manager, clock, requests } = setUp([pod]);
    await manager.start();
    for (const message of ['first', 'second', 'third']) {
      manager.setPodStatus(pod, status({ message }));
      await clock.advance(4);
    }
    await clock.advance(100);
    expect(requests.map((request) => request.status?.message)).toEqual(['first', 'third']);
    await manager.stop();
  });

  it('sends the status with which a pod becomes Ready at once', async () => {
    const { manager, clock, requests } = setUp([pod], { callMs: 0 });
    await manager.start();
    manager.setPodStatus(pod, status({ message: 'first' }));
    await clock.advance(100);
    manager.setPodStatus(pod, status({ message: 'starting' }));
    await clock.advance(4);
    manager.setPodStatus(pod, status({ message: 'ready', conditions: [condition('Ready', 'True')] }));
    await clock.advance(0);
    expect(requests.map((request) => request.status?.message)).toEqual(['first', 'ready']);
    await manager.stop();
  });

  it('compares with its last patch until the informer has received it', async () => {
    const { manager, clock, requests } = setUp([pod], { lagMs: 5_000 });
    await manager.start();
    manager.setPodStatus(pod, status({ message: 'a' }));
    await clock.advance(100);
    manager.setPodStatus(pod, status({}));
    await clock.advance(100);
    expect(requests.map((request) => request.status?.message)).toEqual(['a', null]);
    await manager.stop();
  });

  it('keeps the conditions of other components, and the phase while containers may run', async () => {
    const { manager, clock, stored, running, requests, put } = setUp([pod]);
    put({ ...pod, status: { ...pod.status, phase: 'Running', conditions: [condition('x.io/gate', 'True')] } });
    await manager.start();
    await clock.advance(10);
    running.add(uid);
    manager.setPodStatus(pod, status({ phase: 'Failed', reason: 'Evicted', conditions: [condition('Ready', 'False')] }));
    await clock.advance(100);
    expect(stored.get('web')?.status).toMatchObject({
      phase: 'Running',
      conditions: [{ type: 'x.io/gate' }, { type: 'Ready', status: 'False' }],
    });
    running.clear();
    manager.terminatePod(pod);
    await clock.advance(100);
    expect(stored.get('web')?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(requests).toHaveLength(2);
    await manager.stop();
  });

  it('sends the phase of a rejected pod within 10 s after it is known that no container runs', async () => {
    const { manager, clock, stored, running } = setUp([pod]);
    await manager.start();
    running.add(uid);
    manager.setPodStatus(pod, status({ phase: 'Failed', reason: 'OutOfcpu' }));
    await clock.advance(60_000);
    expect(stored.get('web')?.status?.phase).not.toBe('Failed');
    running.clear();
    await clock.advance(10_100);
    expect(stored.get('web')?.status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    await clock.advance(20_000);
    expect(clock.pending).toBe(0);
    await manager.stop();
  });

  it('sends the existing statuses after the informer’s first list', async () => {
    const { manager, clock, requests, firstList, stored, put, desired } = setUp([]);
    desired.set(uid, pod);
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    await manager.start();
    await clock.advance(1_000);
    expect(requests).toEqual([]);
    put(pod);
    await clock.advance(10);
    firstList();
    await clock.advance(100);
    expect(stored.get('web')?.status?.phase).toBe('Running');
    await manager.stop();
  });

  it('sends no request for a pod that is not desired or missing in the API server', async () => {
    const { manager, clock, requests, desired, remove } = setUp([pod]);
    await manager.start();
    desired.clear();
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    await clock.advance(100);
    desired.set(uid, pod);
    remove('web');
    await clock.advance(100);
    manager.setPodStatus(pod, status({ phase: 'Failed' }));
    await clock.advance(20_000);
    expect(requests).toEqual([]);
    await manager.stop();
  });

  it('drops the status of a pod that was replaced by another with the same name', async () => {
    const { manager, clock, put, requests } = setUp([pod]);
    await manager.start();
    put({ ...pod, metadata: { ...pod.metadata, uid: 'another' } });
    await clock.advance(10);
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    await clock.advance(100);
    expect(manager.getPodStatus(uid)).toBeUndefined();
    expect(requests).toEqual([]);
    await manager.stop();
  });
});

describe('the final deletion', () => {
  const ended = status({ phase: 'Succeeded' });

  it('is sent when the pod is being deleted, its terminal phase was sent and its resources are released', async () => {
    const { manager, clock, put, requests, running, requestLines } = setUp([pod]);
    await manager.start();
    running.add(uid);
    const terminating = put({ ...pod, metadata: { ...pod.metadata, ...deleted } });
    await clock.advance(10);
    manager.setPodStatus(terminating, ended);
    await clock.advance(30_000);
    expect(requestLines().filter((line) => line.startsWith('delete'))).toEqual([]);
    running.clear();
    manager.terminatePod(terminating);
    await clock.advance(100);
    expect(requests.slice(-2)).toMatchObject([
      { verb: 'patch', status: { phase: 'Succeeded' } },
      { verb: 'delete', options: { gracePeriodSeconds: 0, preconditions: { uid } } },
    ]);
    expect(manager.getPodStatus(uid)).toBeUndefined();
    await clock.advance(60_000);
    expect(requestLines().filter((line) => line.startsWith('delete'))).toHaveLength(1);
    expect(clock.pending).toBe(0);
    await manager.stop();
  });

  it('is sent at once for a pod that is already finished', async () => {
    const { manager, clock, put, requestLines } = setUp([pod]);
    await manager.start();
    manager.setPodStatus(pod, ended);
    manager.terminatePod(pod);
    await clock.advance(60_000);
    put({ ...pod, status: ended, metadata: { ...pod.metadata, ...deleted } });
    await clock.advance(20);
    expect(requestLines().at(-1)).toBe('delete web');
    await manager.stop();
  });

  it.each([refused(404, 'NotFound'), refused(409, 'Conflict')])(
    'is done if another client deleted the pod first, and retried after a conflict: %s',
    async (error) => {
      const { manager, clock, put, requestLines, failWith } = setUp([pod]);
      await manager.start();
      const terminating = put({ ...pod, metadata: { ...pod.metadata, ...deleted } });
      await clock.advance(10);
      failWith(({ verb }) => (verb === 'delete' ? error : undefined));
      manager.terminatePod(terminating);
      await clock.advance(1_000);
      failWith(undefined);
      await clock.advance(60_000);
      const deletions = requestLines().filter((line) => line.startsWith('delete')).length;
      expect(deletions).toBe(error.message === 'NotFound' ? 1 : 2);
      await manager.stop();
    },
  );
});

describe('a patch that got no answer', () => {
  const ready = (value: string, more = {}) => status({ conditions: [{ ...condition('Ready', value), ...more }] });
  const unready = ready('False', { reason: 'ContainersNotReady', message: 'm' });

  it.each([
    ['was carried out, so that the next status is written whole', unready],
    ['was carried out, so that the previous status is written again', ready('False')],
  ])('%s', async (_, last) => {
    const { manager, clock, stored, loseAnswers, requests } = setUp([{ ...pod, status: ready('False') }], { lagMs: 60_000 });
    await manager.start();
    loseAnswers(1);
    manager.setPodStatus(pod, ready('True'));
    await clock.advance(100);
    loseAnswers(0);
    manager.setPodStatus(pod, last);
    await clock.advance(10_000);
    expect(stored.get('web')?.status?.conditions).toMatchObject(last.conditions ?? []);
    expect(requests.map(({ verb }) => verb)).toEqual(['patch', 'read', 'patch']);
    await manager.stop();
  });

  it.each([
    [500, true],
    [504, true],
    [409, false],
    [429, false],
  ])('is one that was answered with %i: %s', async (code, isUnanswered) => {
    const { manager, clock, failWith, requestLines } = setUp([pod]);
    await manager.start();
    failWith(() => refused(code, 'Refused'));
    manager.setPodStatus(pod, status({ message: 'a' }));
    await clock.advance(100);
    failWith(undefined);
    await clock.advance(60_000);
    expect(requestLines().slice(1)).toEqual([...(isUnanswered ? ['read web'] : []), 'patch web message,startTime']);
    await manager.stop();
  });

  it('is not one that was not sent', async () => {
    const { manager, clock, failWith, requests } = setUp([pod]);
    await manager.start();
    failWith(() => new NodeAgentError('ApiUnreachable', 'connect ECONNREFUSED', { details: { stage: 'connect' } }));
    manager.setPodStatus(pod, status({ message: 'a' }));
    await clock.advance(100);
    failWith(undefined);
    await clock.advance(60_000);
    expect(requests.map(({ verb }) => verb)).toEqual(['patch', 'patch']);
    await manager.stop();
  });

  it('of a pod that does not exist any more is not repeated', async () => {
    const { manager, clock, failWith, stored, requestLines } = setUp([pod], { lagMs: 600_000 });
    await manager.start();
    failWith(() => new Error('reset'));
    manager.setPodStatus(pod, status({ message: 'a' }));
    await clock.advance(100);
    failWith(undefined);
    stored.clear();
    await clock.advance(60_000);
    expect(requestLines().slice(1)).toEqual(['read web']);
    await manager.stop();
  });
});

describe('a status changed by another client', () => {
  it('is corrected within 10 s, and not more often', async () => {
    const { manager, clock, put, stored, requests } = setUp([pod]);
    await manager.start();
    manager.setPodStatus(pod, status({ phase: 'Running', conditions: [condition('Ready', 'True')] }));
    await clock.advance(20_000);
    for (let second = 0; second < 60; second++) {
      const now = stored.get('web') as Pod;
      put({ ...now, status: { ...now.status, conditions: [condition('Ready', 'False')] } });
      await clock.advance(1_000);
    }
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.length).toBeLessThan(9);
    await clock.advance(20_000);
    expect(stored.get('web')?.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    await manager.stop();
  });

  it('is kept in fields that the kubelet does not own', async () => {
    const { manager, clock, put, stored, requests } = setUp([pod]);
    await manager.start();
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    await clock.advance(20_000);
    const now = stored.get('web') as Pod;
    put({ ...now, status: { ...now.status, conditions: [condition('x.io/gate', 'True')], nominatedNodeName: 'n' } });
    await clock.advance(20_000);
    expect(requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
    await manager.stop();
  });
});

describe('mirror pods', () => {
  const staticPod = buildPod({
    name: 'web',
    uid: 'static',
    annotations: { 'kubernetes.io/config.source': 'file', 'kubernetes.io/config.hash': 'h1' },
  });
  const mirror = (hash: string, more: Pod['metadata'] = {}): Pod => ({
    ...staticPod,
    metadata: { ...staticPod.metadata, uid: `mirror-${hash}`, annotations: { 'kubernetes.io/config.mirror': hash }, ...more },
    status: { phase: 'Pending' },
  });

  it('get the status of their static pods under their own UIDs, once they exist', async () => {
    const { manager, clock, desired, put, mirrors, stored, requestLines } = setUp([]);
    desired.set('static', staticPod);
    await manager.start();
    manager.setPodStatus(staticPod, status({ phase: 'Running' }));
    await clock.advance(1_000);
    expect(requestLines()).toEqual([]);
    put(mirror('h1'));
    mirrors.set('mirror-h1', 'static');
    await clock.advance(11_000);
    expect(stored.get('web')?.status?.phase).toBe('Running');
    manager.setPodStatus(staticPod, status({ phase: 'Running', message: 'm' }));
    await clock.advance(100);
    expect(stored.get('web')?.status?.message).toBe('m');
    await manager.stop();
  });

  it.each([undefined, 'h0'])('that appear shortly after a status get only the next status (mirror pod before: %s)', async (before) => {
    const { manager, clock, desired, put, mirrors, requestLines } = setUp(before ? [mirror(before)] : [], { lagMs: 1 });
    desired.set('static', staticPod);
    await manager.start();
    await clock.advance(100);
    manager.setPodStatus(staticPod, status({ phase: 'Pending', message: 'first' }));
    mirrors.set('mirror-h1', 'static');
    put(mirror('h1'));
    await clock.advance(200);
    expect(requestLines()).toEqual([]);
    manager.setPodStatus(staticPod, status({ phase: 'Running' }));
    await clock.advance(200);
    expect(requestLines()).toHaveLength(1);
    await manager.stop();
  });

  it('get the status after the agent has handled them, however late', async () => {
    const { manager, clock, desired, put, mirrors, requestLines } = setUp([]);
    desired.set('static', staticPod);
    await manager.start();
    manager.setPodStatus(staticPod, status({ phase: 'Running' }));
    put(mirror('h1'));
    await clock.advance(60_000);
    expect(requestLines()).toEqual([]);
    mirrors.set('mirror-h1', 'static');
    await clock.advance(20_000);
    expect(requestLines()).toEqual(['patch web phase,qosClass,startTime']);
    expect(clock.pending).toBe(0);
    await manager.stop();
  });

  it('of another version or being deleted get no status, and mirror pods are never deleted finally', async () => {
    const { manager, clock, desired, put, mirrors, requestLines } = setUp([]);
    desired.set('static', staticPod);
    await manager.start();
    for (const wrong of [mirror('h0'), mirror('h1', deleted)]) {
      put(wrong);
      mirrors.set(wrong.metadata?.uid ?? '', 'static');
      manager.setPodStatus(staticPod, status({ phase: 'Failed' }));
      manager.terminatePod(staticPod);
      await clock.advance(20_000);
    }
    expect(requestLines()).toEqual([]);
    await manager.stop();
  });
});

describe('a refusal of the API server', () => {
  it('for one pod is retried after 10 s, 20 s, 40 s, 60 s, with jitter, and does not delay other pods', async () => {
    const other = buildPod({ name: 'other' });
    const { manager, clock, requests, failWith, stored, logger } = setUp([pod, other]);
    await manager.start();
    failWith(({ name }) => (name === 'web' ? refused(422, 'Invalid') : undefined));
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    for (let minute = 0; minute < 10; minute++) {
      manager.setPodStatus(other, status({ phase: 'Running', message: `${minute}` }));
      manager.setPodStatus(pod, status({ phase: 'Running', message: `${minute}` }));
      await clock.advance(60_000);
    }
    expect(stored.get('other')?.status?.message).toBe('9');
    const tries = requests.filter(({ name }) => name === 'web');
    expect(tries.length).toBeGreaterThan(8);
    expect(tries.length).toBeLessThan(18);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(tries.length);
    failWith(undefined);
    await clock.advance(90_000);
    expect(stored.get('web')?.status?.message).toBe('9');
    await manager.stop();
  });

  it('because the pod does not exist is not retried', async () => {
    const { manager, clock, requests, stored } = setUp([pod]);
    await manager.start();
    await clock.advance(20_000);
    stored.clear();
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    await clock.advance(600_000);
    expect(requests).toHaveLength(1);
    await manager.stop();
  });

  it('because of overload delays the next request by Retry-After', async () => {
    const { manager, clock, requests, failWith, stored } = setUp([pod]);
    await manager.start();
    failWith(() => refused(429, 'TooManyRequests', 45_000));
    manager.setPodStatus(pod, status({ phase: 'Running' }));
    await clock.advance(44_000);
    failWith(undefined);
    expect(requests).toHaveLength(1);
    await clock.advance(3_000);
    expect(stored.get('web')?.status?.phase).toBe('Running');
    await manager.stop();
  });
});

describe('an API server that is unavailable for an hour', () => {
  const many = Array.from({ length: 250 }, (_, index) => buildPod({ name: `p${index}` }));

  it('gets all statuses after its recovery, without a burst', async () => {
    const { manager, clock, requests, failWith, stored, maxOpen, desired } = setUp(many);
    await manager.start();
    failWith(() => new NodeAgentError('ApiUnreachable', 'connect ECONNREFUSED', { details: { stage: 'connect' } }));
    const random = seededRandom(7);
    const last = new Map<string, string>();
    for (let minute = 0; minute < 60; minute++) {
      for (const one of many) {
        if (random() < 0.3) continue;
        last.set(one.metadata?.name ?? '', `${minute}`);
        manager.setPodStatus(one, status({ phase: 'Running', message: `${minute}` }));
      }
      await clock.advance(60_000);
    }
    expect(requests.length).toBeGreaterThan(60);
    expect(requests.length).toBeLessThan(250);

    failWith(undefined);
    requests.length = 0;
    const back = clock.monotonic();
    await clock.advance(60_000);
    expect(requests).toHaveLength(250);
    const [first = 0] = requests.map(({ at }) => at);
    expect(first - back).toBeLessThan(45_000);
    for (const { at } of requests) {
      const second = requests.filter((other) => other.at >= at && other.at < at + 1_000).length;
      expect(second).toBeLessThanOrEqual(60);
    }
    expect(maxOpen()).toBeLessThanOrEqual(10);
    for (const [name, message] of last) expect(stored.get(name)?.status).toMatchObject({ phase: 'Running', message });
    expect(desired.size).toBe(250);
    await manager.stop();
    expect(clock.pending).toBe(0);
  });

  it('does not delay the stop when it hangs', async () => {
    const { manager, clock, failWith, requests, listeners, logger } = setUp(many);
    await manager.start();
    failWith(() => 'hangs');
    for (const one of many) manager.setPodStatus(one, status({ phase: 'Running' }));
    await clock.advance(60_000);
    expect(requests).toHaveLength(10);
    await manager.stop();
    expect([clock.pending, listeners()]).toEqual([0, 0]);
    expect(logger.lines).toEqual([]);
    failWith(undefined);
    await manager.start();
    await clock.advance(20_000);
    expect(requests).toHaveLength(260);
    await manager.stop();
  });
});

it.each([1, 2, 3, 4, 5])(
  'the API server gets the newest statuses in the end, despite random failures and writes of another client: seed %i',
  async (seed) => {
    const random = seededRandom(seed);
    const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
    const few = ['a', 'b', 'c', 'd'].map((name) => buildPod({ name }));
    const lagMs = pick(1, 50, 3_000);
    const { manager, clock, failWith, loseAnswers, stored, put, requests } = setUp(few, { lagMs, random });
    await manager.start();
    loseAnswers(0.2);
    failWith(() =>
      random() < 0.5
        ? undefined
        : pick(new Error('reset'), refused(429, 'TooManyRequests', 2_000), refused(500, 'InternalError'), refused(409, 'Conflict')),
    );
    for (let step = 0; step < 200; step++) {
      const one = pick(...few);
      const now = stored.get(one.metadata?.name ?? '') as Pod;
      if (random() < 0.2) put({ ...now, status: { ...now.status, conditions: [condition('Ready', pick('True', 'False'))] } });
      else
        manager.setPodStatus(
          one,
          status({ phase: 'Running', message: `${step % 3}`, conditions: [condition('Ready', pick('True', 'False'))] }),
        );
      await clock.advance(pick(1, 10, 500, 20_000));
    }
    failWith(undefined);
    loseAnswers(0);
    await clock.advance(300_000);
    for (const one of few) {
      const uidOfOne = one.metadata?.uid ?? '';
      expect(equalByKubelet(stored.get(one.metadata?.name ?? '')?.status ?? {}, manager.getPodStatus(uidOfOne) ?? {})).toBe(true);
    }
    const { length } = requests;
    await clock.advance(300_000);
    expect([requests.length, clock.pending]).toEqual([length, 0]);
    await manager.stop();
  },
);

it('refuses a rate that is not positive', () => {
  const options = { requestsPerSecond: 0 } as unknown as Parameters<typeof createApiStatusSink>[0];
  expect(() => createApiStatusSink(options)).toThrow(
    expect.objectContaining({ code: 'InvalidOption', details: { field: 'requestsPerSecond' } }),
  );
});
