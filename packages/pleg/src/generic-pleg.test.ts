import type {
  Counter,
  Gauge,
  Histogram,
  Metrics,
  PodLifecycleEvent,
  PodLifecycleEventGenerator,
  PodRuntimeStatus,
  RuntimeContainerState,
  RuntimePod,
} from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createGenericPleg, type GenericPlegOptions } from './generic-pleg.js';
import { createPodCache, emptyPodStatus } from './pod-cache.js';

type States = Record<string, RuntimeContainerState>;

const containers = (states: States) =>
  Object.entries(states).map(([id, state]) => ({
    id,
    name: id,
    state,
    createdAt: 0n,
    image: '',
    imageId: '',
    imageRef: '',
    hash: '',
    podSandboxId: '',
  }));

const pod = (uid: string, states: States, sandboxes: States = {}): RuntimePod => ({
  uid,
  name: uid,
  namespace: 'ns',
  containers: containers(states),
  sandboxes: containers(sandboxes),
});

/** A runtime whose pods and responses the test controls. */
function fakeRuntime(...pods: RuntimePod[]) {
  const calls: string[] = [];
  const runtime = {
    pods,
    calls,
    status: async (uid: string): Promise<PodRuntimeStatus> => ({ ...emptyPodStatus(uid), name: `seen ${calls.length}` }),
    getPods: async (): Promise<RuntimePod[]> => {
      calls.push('getPods');
      return runtime.pods;
    },
    getPod: async (uid: string): Promise<RuntimePod | undefined> => {
      calls.push(`getPod ${uid}`);
      return runtime.pods.find((one) => one.uid === uid);
    },
    getPodStatus: ({ uid }: RuntimePod): Promise<PodRuntimeStatus> => {
      calls.push(`getPodStatus ${uid}`);
      return runtime.status(uid);
    },
  };
  return runtime;
}

/** Keeps the last value of gauges, the sum of counters and the number of observations, by name and label values. */
function recordingMetrics() {
  const values = new Map<string, number>();
  const key = (name: string, labels: object = {}) => [name, ...Object.values(labels)].join(' ');
  const metrics: Metrics = {
    counter: ({ name }): Counter => ({ inc: (labels, by = 1) => values.set(key(name, labels), (values.get(key(name, labels)) ?? 0) + by) }),
    gauge: ({ name }): Gauge => ({ set: (value, labels) => values.set(key(name, labels), value) }),
    histogram: ({ name }): Histogram => ({ observe: () => values.set(name, (values.get(name) ?? 0) + 1) }),
  };
  return { metrics, values };
}

const running: PodLifecycleEventGenerator[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((pleg) => pleg.stop()));
});

function setUp(runtime: GenericPlegOptions['runtime'], options: Partial<GenericPlegOptions> = {}) {
  const clock = createVirtualClock();
  const cache = createPodCache();
  const pleg = createGenericPleg({ runtime, cache, clock, ...options });
  running.push(pleg);
  const take = () => {
    const events: PodLifecycleEvent[] = [];
    for (let next = pleg.events.poll(); next; next = pleg.events.poll()) events.push(next);
    return events.map(({ podUid, type, containerId }) => [podUid, type, containerId].filter(Boolean).join(' '));
  };
  return { clock, cache, pleg, take };
}

describe('relist', () => {
  it('updates the cache before it sends the event', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, cache } = setUp(runtime);
    let seen: string | undefined;
    pleg.events.onOffer = () => {
      seen = cache.get('a').name;
    };
    await pleg.relist();
    expect(seen).toBe('seen 2');
  });

  it('sends no event for created containers but caches their status', async () => {
    const { pleg, cache, take } = setUp(fakeRuntime(pod('a', { c: 'created' })));
    await pleg.relist();
    expect(take()).toEqual([]);
    expect(cache.get('a').name).toBe('seen 2');
  });

  it('fetches a status only after a change or a request', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, take } = setUp(runtime);
    await pleg.relist();
    await pleg.relist();
    expect(runtime.calls).toEqual(['getPods', 'getPodStatus a', 'getPods']);
    pleg.requestReinspect('a');
    await pleg.relist();
    expect(take()).toEqual(['a ContainerStarted c', 'a PodSync']);
  });

  it('caches a failed status, and sends the events once the status call succeeds', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const good = runtime.status;
    runtime.status = async () => {
      throw new Error('no answer');
    };
    const { pleg, cache, take } = setUp(runtime);
    await pleg.relist();
    expect(() => cache.get('a')).toThrow('no answer');
    expect(take()).toEqual([]);
    runtime.status = good;
    await pleg.relist();
    expect(take()).toEqual(['a ContainerStarted c']);
    expect(cache.get('a').name).toMatch('seen');
  });

  it('removes a pod that was added and removed while its status call failed', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    runtime.status = async () => {
      throw new Error('no answer');
    };
    const { pleg, cache, take } = setUp(runtime);
    await pleg.relist();
    runtime.pods = [];
    await pleg.relist();
    expect(take()).toEqual(['a PodSync']);
    expect(cache.peek('a')).toBeUndefined();
    await pleg.relist();
    expect(take()).toEqual([]);
  });

  it('changes nothing if the listing rejects, throws or returns an invalid value', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, cache, clock, take } = setUp(runtime);
    await pleg.relist();
    take();
    const newer = cache.getNewerThan('a', cache.revision());
    let answered = false;
    newer.then(() => {
      answered = true;
    });
    await clock.advance(200_000);
    const list = runtime.getPods;
    for (const broken of [
      () => Promise.reject(new Error('down')),
      () => {
        throw new Error('bad port');
      },
      () => Promise.resolve(undefined as unknown as RuntimePod[]),
    ]) {
      runtime.getPods = broken;
      await pleg.relist();
      expect(take()).toEqual([]);
      expect(cache.get('a').name).toBe('seen 2');
      expect(pleg.unhealthyReason()).toMatch(
        /^pleg was last seen active 3m20s ago; threshold is 3m0s; last error: (down|bad port|.*(undefined|iterable).*)$/,
      );
    }
    expect(answered).toBe(false);
    runtime.getPods = list;
    await pleg.relist();
    await clock.settle();
    expect(answered).toBe(true);
    expect(pleg.unhealthyReason()).toBeUndefined();
  });

  it('ignores a pod without a UID and a container that is listed twice', async () => {
    const doubled = pod('a', { c: 'running' });
    doubled.containers.push(...containers({ c: 'exited' }));
    const { pleg, take } = setUp(fakeRuntime(pod('', { lost: 'running' }), doubled));
    await pleg.relist();
    expect(take()).toEqual(['a ContainerStarted c']);
  });

  it('limits concurrent status calls, and a slow pod does not delay the others', async () => {
    const runtime = fakeRuntime(...Array.from({ length: 12 }, (_, i) => pod(`p${i}`, { [`c${i}`]: 'running' })));
    let active = 0;
    let most = 0;
    let release = () => {};
    runtime.status = async (uid) => {
      most = Math.max(most, ++active);
      await (uid === 'p0' ? new Promise<void>((resolve) => (release = resolve)) : Promise.resolve());
      active--;
      return emptyPodStatus(uid);
    };
    const { pleg, clock, take } = setUp(runtime);
    const relisted = pleg.relist();
    await clock.settle();
    expect(take()).toHaveLength(11);
    release();
    await relisted;
    expect(take()).toEqual(['p0 ContainerStarted c0']);
    expect(most).toBe(4);
  });

  it('drops and counts events that do not fit the channel', async () => {
    const { metrics, values } = recordingMetrics();
    const runtime = fakeRuntime(pod('a', { c1: 'running', c2: 'running', c3: 'exited' }, { s: 'running' }));
    const { pleg, take } = setUp(runtime, { channelCapacity: 2, metrics });
    await pleg.relist();
    expect(take()).toEqual(['a ContainerStarted c1', 'a ContainerStarted c2']);
    expect(values.get('kubelet_pleg_discard_events')).toBe(2);
    expect(values.get('kubelet_running_pods')).toBe(1);
    expect(values.get('kubelet_running_containers running')).toBe(2);
    expect(values.get('kubelet_running_containers exited')).toBe(1);
    expect(values.get('kubelet_pleg_last_seen_seconds')).toBe(Date.UTC(2026, 0, 1) / 1000);
  });
});

describe('the loop', () => {
  it('starts the period at the end of a relist', async () => {
    const runtime = fakeRuntime();
    const { pleg, clock } = setUp(runtime);
    const starts: number[] = [];
    runtime.getPods = async () => {
      starts.push(clock.monotonic());
      await clock.sleep(300);
      return [];
    };
    await pleg.start();
    await pleg.start();
    await clock.advance(4000);
    expect(starts).toEqual([0, 1300, 2600, 3900]);
  });

  it('ignores wall-clock jumps', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, clock, cache } = setUp(runtime);
    await pleg.start();
    await clock.advance(10);
    clock.jump(-3_600_000);
    const newer = cache.getNewerThan('a', cache.revision());
    await clock.advance(1000);
    expect((await newer).name).toBe('seen 2');
    clock.jump(7_200_000);
    expect(pleg.unhealthyReason()).toBeUndefined();
  });

  it('serves a request at once, unless a full relist has covered it', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, clock, cache, take } = setUp(runtime);
    await pleg.start();
    await clock.advance(100);
    take();
    runtime.pods = [pod('a', { c: 'exited' })];
    const newer = cache.getNewerThan('a', cache.revision());
    pleg.requestRelist('a');
    await clock.settle();
    expect(take()).toEqual(['a ContainerDied c']);
    expect((await newer).uid).toBe('a');
    expect(runtime.calls).toEqual(['getPods', 'getPodStatus a', 'getPod a', 'getPodStatus a']);
  });

  it('resolves readers when a request finds no change', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, clock, cache } = setUp(runtime);
    await pleg.start();
    await clock.advance(100);
    const newer = cache.getNewerThan('a', cache.revision());
    pleg.requestRelist('a');
    await clock.settle();
    expect((await newer).name).toBe('seen 2');
    expect(runtime.calls.at(-1)).toBe('getPod a');
  });

  it('sends events for a pod that a request finds removed, and tolerates a failed inspection', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, clock, cache, take } = setUp(runtime);
    await pleg.start();
    await clock.advance(100);
    take();
    const getPod = runtime.getPod;
    runtime.getPod = async () => {
      throw new Error('down');
    };
    pleg.requestRelist('a');
    await clock.settle();
    expect(take()).toEqual([]);
    runtime.getPod = getPod;
    runtime.pods = [];
    pleg.requestRelist('a');
    await clock.settle();
    expect(take()).toEqual(['a ContainerDied c', 'a ContainerRemoved c']);
    expect(cache.peek('a')).toBeUndefined();
  });

  it('refuses requests beyond its capacity, and the next full relist covers their pods', async () => {
    const runtime = fakeRuntime();
    const { pleg, clock } = setUp(runtime, { relistRequestCapacity: 3 });
    let release = () => {};
    runtime.getPods = () => new Promise((resolve) => (release = () => resolve([])));
    await pleg.start();
    await clock.advance(5);
    for (let i = 0; i < 10; i++) pleg.requestRelist(`p${i}`);
    release();
    await clock.settle();
    expect(runtime.calls).toEqual(['getPod p0', 'getPod p1', 'getPod p2']);
  });

  it('becomes unhealthy while a call hangs, names the call, and can still be stopped', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, clock } = setUp(runtime);
    expect(pleg.unhealthyReason()).toBe('pleg has yet to be successful');
    runtime.status = () => new Promise(() => {});
    await pleg.start();
    await clock.advance(180_000);
    expect(pleg.unhealthyReason()).toBeUndefined();
    await clock.advance(1);
    expect(pleg.unhealthyReason()).toBe(
      'pleg was last seen active 3m0.001s ago; threshold is 3m0s; getPodStatus of pod a has not answered for 3m0.001s',
    );
    await pleg.stop();
    await pleg.stop();
    expect(clock.pending).toBe(0);
  });

  it('keeps the status of a pod whose status call a stop has aborted', async () => {
    const runtime = fakeRuntime(pod('a', { c: 'running' }));
    const { pleg, cache, clock } = setUp(runtime);
    await pleg.start();
    await clock.settle();
    const before = cache.peek('a');
    expect(before?.status).toBeDefined();
    runtime.pods = [pod('a', { c: 'exited' })];
    runtime.status = () => new Promise(() => {});
    await clock.advance(1_000);
    await pleg.stop();
    expect(cache.peek('a')).toEqual(before);
  });

  it('stops when the signal aborts and can start again', async () => {
    const runtime = fakeRuntime();
    const { pleg, clock } = setUp(runtime);
    const controller = new AbortController();
    await pleg.start(controller.signal);
    await clock.settle();
    controller.abort();
    await clock.advance(5000);
    expect(runtime.calls).toEqual(['getPods']);
    expect(clock.pending).toBe(0);
    await pleg.start();
    await clock.settle();
    expect(runtime.calls).toEqual(['getPods', 'getPods']);
  });
});

describe('options', () => {
  it.each([
    ['channelCapacity', 0],
    ['channelCapacity', 1.5],
    ['relistPeriodMs', -1],
    ['relistThresholdMs', Number.NaN],
    ['relistRequestCapacity', 0],
    ['statusConcurrency', 0],
  ])('refuses %s: %d', (field, value) => {
    const make = () => createGenericPleg({ runtime: fakeRuntime(), cache: createPodCache(), [field]: value });
    expect(make).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});
