import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createEventedPleg, type EventedPleg, type EventedPlegOptions } from './evented-pleg.js';
import { createPodCache } from './pod-cache.js';
import { setUpEvented } from './test-harness.js';

const running: EventedPleg[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((pleg) => pleg.stop()));
});

function setUp(options: Partial<EventedPlegOptions> = {}) {
  const set = setUpEvented(createVirtualClock(), options);
  running.push(set.pleg);
  return set;
}

/** A gate that a fake waits at until the test opens it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const unavailable = () => Object.assign(new Error('connection refused'), { code: 'CRI_UNAVAILABLE' });
const unimplemented = () => Object.assign(new Error('unknown method GetContainerEvents'), { code: 'CRI_UNIMPLEMENTED' });

describe('an event', () => {
  it('triggers an inspection of its pod, and updates the cache before it is sent', async () => {
    const { world, clock, pleg, cached, take, settled } = setUp();
    await settled();
    const seen: (string | undefined)[] = [];
    pleg.events.onOffer = () => seen.push(cached('a'));
    world.tell('a/c', 'running');
    await clock.settle();
    expect(take()).toEqual(['a ContainerStarted a/c']);
    expect(seen).toEqual(['a/c=running']);
    expect(world.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
    world.tell('a/c', 'exited');
    await clock.settle();
    world.tell('a/c', 'removed');
    await clock.settle();
    expect(take()).toEqual(['a ContainerDied a/c', 'a ContainerRemoved a/c']);
    expect(cached('a')).toBeUndefined();
  });

  it('for a created container waits a second for the next event', async () => {
    const { world, clock, cached, settled } = setUp();
    await settled();
    world.tell('a/c', 'created');
    await clock.advance(100);
    expect(world.takeCalls()).toEqual([]);
    world.tell('a/c', 'running');
    await clock.advance(2_000);
    expect(world.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
    world.tell('b/never-started', 'created');
    await clock.advance(1_001);
    expect(world.takeCalls()).toEqual(['getPod b', 'getPodStatus b']);
    expect(cached('b')).toBe('b/never-started=created');
  });

  it('causes no call if it is repeated, late or out of order', async () => {
    const { world, clock, take, settled, drift } = setUp();
    await settled();
    world.tell('a/c', 'running');
    await clock.settle();
    world.tell('a/c', 'exited');
    await clock.settle();
    world.takeCalls();
    take();
    for (const step of ['exited', 'running', 'created', 'exited'] as const) world.say('a/c', step);
    world.say('z/unknown', 'removed');
    await clock.advance(60_000);
    expect(world.takeCalls()).toEqual([]);
    expect(take()).toEqual([]);
    expect(drift()).toBe(0);
  });

  it('may arrive before an earlier event', async () => {
    const { world, clock, cached, take, settled } = setUp();
    await settled();
    world.change('a/c', 'exited');
    world.say('a/c', 'exited');
    world.say('a/c', 'running');
    world.say('a/c', 'created');
    await clock.settle();
    expect(cached('a')).toBe('a/c=exited');
    expect(take()).toEqual(['a ContainerDied a/c']);
  });

  it('for a pod that is not found triggers one full relist', async () => {
    const { world, clock, cache, take, settled } = setUp();
    await settled();
    world.say('ghost/c', 'running');
    await clock.settle();
    expect(world.takeCalls()).toEqual(['getPod ghost', 'getPods']);
    expect(take()).toEqual([]);
    expect(cache.peek('ghost')).toBeUndefined();
  });

  it('without a pod UID is attributed by its container, else triggers a full relist', async () => {
    const { world, clock, cached, settled } = setUp();
    await settled();
    world.tell('a/c', 'running');
    await clock.settle();
    world.takeCalls();
    world.change('a/c', 'removed');
    world.say('a/c', 'removed', { podSandboxStatus: null });
    await clock.settle();
    expect(world.takeCalls()).toEqual(['getPod a']);
    world.say('b/c', 'removed', { podSandboxStatus: null });
    await clock.settle();
    expect(world.takeCalls()).toEqual([]);
    world.change('b/c', 'running');
    world.say('b/c', 'running', { podSandboxStatus: null });
    await clock.settle();
    expect(world.takeCalls()).toEqual(['getPods', 'getPodStatus b']);
    expect(cached('b')).toBe('b/c=running');
  });

  it('is ignored if its pod vanishes before the status call', async () => {
    const { world, clock, cached, settled } = setUp();
    await settled();
    world.intercept = async (call) => {
      if (call === 'getPodStatus a') world.change('a/c', 'removed');
    };
    world.tell('a/c', 'running');
    await clock.settle();
    world.say('a/c', 'removed');
    await clock.settle();
    expect(cached('a')).toBeUndefined();
  });

  it('is not lost if the status call fails: readers get the error, and the inspection is retried', async () => {
    const { world, clock, cache, cached, take, settled } = setUp();
    await settled();
    for (const failing of ['getPodStatus a', 'getPod a']) {
      const step = failing === 'getPod a' ? 'exited' : 'running';
      world.intercept = async (call) => {
        if (call === failing) throw unavailable();
      };
      world.tell('a/c', step);
      await clock.advance(2_500);
      expect(take()).toEqual([]);
      if (failing === 'getPodStatus a') expect(() => cache.get('a')).toThrow('connection refused');
      world.intercept = async () => {};
      await clock.advance(1_000);
      expect(cached('a')).toBe(`a/c=${step}`);
      expect(take()).toHaveLength(1);
    }
  });

  it('during an inspection of its pod triggers one more inspection, however many events arrive', async () => {
    const { world, clock, cached, settled } = setUp();
    await settled();
    const { open, opened } = gate();
    world.intercept = (call) => (call === 'getPodStatus a' ? opened : Promise.resolve());
    world.tell('a/c', 'running');
    await clock.settle();
    world.tell('a/c', 'exited');
    for (let i = 0; i < 100; i++) world.tell(`a/d${i}`, 'running');
    await clock.settle();
    open();
    await clock.settle();
    expect(world.takeCalls()).toEqual(['getPod a', 'getPodStatus a', 'getPod a', 'getPodStatus a']);
    expect(cached('a')).toBe(world.truth('a'));
  });
});

describe('a burst', () => {
  it('of 10,000 events is coalesced per pod, with limited concurrency of status calls', async () => {
    const { world, clock, cached, settled } = setUp();
    await settled();
    let open = 0;
    let most = 0;
    world.intercept = async () => {
      most = Math.max(most, ++open);
      await clock.sleep(10);
      open--;
    };
    for (let i = 0; i < 10_000; i++) world.tell(`p${i % 50}/c${Math.floor(i / 100)}`, i % 100 < 50 ? 'running' : 'exited');
    await clock.advance(5_000);
    const calls = world.takeCalls();
    expect(most).toBe(4);
    expect(calls.length).toBeLessThanOrEqual(2 * 2 * 50);
    for (let i = 0; i < 50; i++) expect(cached(`p${i}`)).toBe(world.truth(`p${i}`));
  });

  it('of more pods than the queue holds becomes a full relist', async () => {
    const { world, clock, cached, settled, drift } = setUp({ maxPendingInspections: 10, statusConcurrency: 1 });
    await settled();
    for (let i = 0; i < 100; i++) world.tell(`p${i}/c`, 'running');
    await clock.advance(10_000);
    // One more if events did not fit the queue during the first.
    expect(world.takeCalls().filter((call) => call === 'getPods').length).toBeLessThanOrEqual(2);
    for (let i = 0; i < 100; i++) expect(cached(`p${i}`)).toBe(world.truth(`p${i}`));
    expect(drift()).toBe(0);
  });
});

describe('relists', () => {
  it('start after the stream was requested, at growing intervals, and an idle node causes no calls in between', async () => {
    const { world, clock, pleg } = setUp();
    await pleg.start();
    await clock.settle();
    expect(world.takeCalls()).toEqual(['containerEvents', 'getPods']);
    const times: number[] = [];
    while (clock.monotonic() < 1_200_000) {
      await clock.advanceToNext();
      for (const call of world.takeCalls()) {
        expect(call).toBe('getPods');
        times.push(clock.monotonic() / 1000);
      }
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111, 1411].slice(0, times.length));
    expect(times.length).toBeGreaterThan(10);
  });

  it('cover events from before them, and leave events that arrive meanwhile to an inspection', async () => {
    const { world, clock, pleg, cached, take, drift } = setUp();
    const { open, opened } = gate();
    world.change('a/c', 'running');
    await pleg.start();
    world.intercept = (call) => (call === 'getPods' ? opened : Promise.resolve());
    await clock.settle();
    world.say('a/c', 'running');
    world.tell('b/c', 'running');
    open();
    await clock.settle();
    world.tell('b/c', 'exited');
    await clock.settle();
    expect(take()).toEqual(['a ContainerStarted a/c', 'b ContainerStarted b/c', 'b ContainerDied b/c']);
    expect(cached('b')).toBe('b/c=exited');
    expect(world.takeCalls().filter((call) => call === 'getPod a')).toEqual([]);
    await clock.advance(60_000);
    expect(drift()).toBe(0);
  });

  it('find the first event lost after a reconnect within seconds, and count it', async () => {
    const { world, clock, cached, take, settled, metric } = setUp();
    await settled();
    world.tell('a/c', 'running');
    await clock.settle();
    world.endStreams(unavailable());
    await clock.advance(1_000);
    expect(world.streams.size).toBe(1);
    take();
    world.change('a/c', 'exited');
    await clock.advance(1_000);
    expect(cached('a')).toBe('a/c=exited');
    expect(take()).toEqual(['a ContainerDied a/c']);
    await clock.advance(10_000);
    expect(metric('nodeagent_pleg_drift_total relist')).toBe(1);
    expect(metric('nodeagent_pleg_drift_total reconnect')).toBe(0);
  });

  it('warn of an exit without an event, but not of the removal of a container that had exited', async () => {
    const logger = createRecordingLogger();
    const { world, clock, settled, metric } = setUp({ logger });
    await settled();
    const relistAfter = async (change: () => void) => {
      world.endStreams(unavailable());
      await clock.advance(1_000);
      change();
      await clock.advance(20_000);
    };
    world.tell('a/c', 'exited');
    await clock.settle();
    await relistAfter(() => world.change('a/c', 'removed'));
    expect([metric('nodeagent_pleg_drift_total relist'), logger.messages('warn')]).toEqual([1, []]);
    world.tell('b/c', 'running');
    await clock.settle();
    await relistAfter(() => world.change('b/c', 'exited'));
    expect(metric('nodeagent_pleg_drift_total relist')).toBe(2);
    expect(logger.messages('warn')).toEqual(['relist found a change for which the runtime sent no event']);
  });

  it('find changes from the time without a stream', async () => {
    const { world, clock, cached, settled, metric } = setUp();
    await settled();
    world.endStreams();
    world.change('a/c', 'running');
    world.change('b/c', 'exited');
    await clock.advance(1_000);
    expect([cached('a'), cached('b')]).toEqual(['a/c=running', 'b/c=exited']);
    await clock.advance(10_000);
    expect(metric('nodeagent_pleg_drift_total reconnect')).toBe(2);
  });

  it('do not count a change that the stream reports shortly afterwards', async () => {
    const { world, clock, settled, drift } = setUp();
    await settled();
    const later: (() => void)[] = [];
    world.intercept = async (call) => {
      if (call !== 'getPods') return;
      world.change('a/c', 'running');
      later.push(() => world.say('a/c', 'running'));
    };
    await clock.until(() => later.length > 0);
    world.intercept = async () => {};
    await clock.advance(4_000);
    for (const say of later) say();
    await clock.advance(600_000);
    expect(drift()).toBe(0);
    expect(world.streams.size).toBe(1);
  });

  it('find changes that a half-open stream does not report, and reopen the stream', async () => {
    const { world, clock, cached, settled, metric } = setUp();
    await settled();
    world.change('a/c', 'running');
    world.takeCalls();
    await clock.advance(305_000);
    expect(cached('a')).toBe('a/c=running');
    await clock.advance(7_000);
    expect(metric('nodeagent_pleg_drift_total relist')).toBe(1);
    expect(world.takeCalls().filter((call) => call === 'containerEvents')).toHaveLength(1);
    expect(world.streams.size).toBe(1);
  });

  it('that fail are retried after a second, and the events that they were to cover are kept', async () => {
    const { world, clock, cached, pleg } = setUp();
    let failures = 3;
    world.intercept = async (call) => {
      if (call === 'getPods' && failures-- > 0) throw unavailable();
    };
    await pleg.start();
    await clock.settle();
    world.tell('a/c', 'running');
    await clock.advance(3_000);
    expect(cached('a')).toBe('a/c=running');
    expect(world.takeCalls().filter((call) => call === 'getPods').length).toBeLessThanOrEqual(5);
  });

  it('run on request, and one requested during a relist follows it', async () => {
    const { world, clock, pleg, settled } = setUp();
    world.change('a/c', 'running');
    await pleg.relist();
    expect(world.takeCalls()).toEqual(['getPods', 'getPodStatus a']);
    await settled();
    const { open, opened } = gate();
    world.intercept = () => opened;
    const first = pleg.relist();
    await clock.settle();
    const second = pleg.relist();
    open();
    await first;
    await second;
    expect(world.takeCalls()).toEqual(['getPods', 'getPods']);
    world.intercept = () => new Promise(() => {});
    const cut = pleg.relist(AbortSignal.abort());
    const lost = pleg.relist();
    await cut;
    await pleg.stop();
    await lost;
  });

  it('retry a failed status call a second later', async () => {
    const { world, clock, cached, take, pleg } = setUp();
    world.change('a/c', 'running');
    let failures = 1;
    world.intercept = async (call) => {
      if (call === 'getPodStatus a' && failures-- > 0) throw unavailable();
    };
    await pleg.start();
    await clock.settle();
    expect(take()).toEqual([]);
    await clock.advance(1_000);
    expect(cached('a')).toBe('a/c=running');
    expect(take()).toEqual(['a ContainerStarted a/c']);
  });
});

describe('a reader that waits', () => {
  it('gets the result of an inspection of its pod, not of the slow relist', async () => {
    const { world, clock, cache, settled } = setUp();
    await settled();
    world.tell('a/c', 'running');
    await clock.settle();
    world.takeCalls();
    for (const uid of ['a', 'not there']) {
      await clock.advance(1);
      const news = cache.getNewerThan(uid, cache.revision());
      await clock.settle();
      expect((await news).uid).toBe(uid);
    }
    expect(world.takeCalls()).toEqual(['getPod a', 'getPod not there']);
  });

  it('causes no call if the cached status is new enough', async () => {
    const { world, clock, cache, settled } = setUp();
    await settled();
    world.tell('a/c', 'running');
    await clock.settle();
    world.takeCalls();
    await clock.advance(100_000);
    expect((await cache.getNewerThan('a', 0)).name).toBe('a/c=running');
    expect(world.takeCalls()).toEqual([]);
  });

  it('shares the inspection requested for its sync, and gets only one that began after the sync', async () => {
    const { world, clock, cache, pleg, settled } = setUp();
    await settled();
    const { open, opened } = gate();
    world.intercept = (call) => (call === 'getPod a' ? opened : Promise.resolve());
    const synced = cache.revision();
    pleg.requestRelist('a');
    await clock.settle();
    const shared = cache.getNewerThan('a', synced);
    await clock.advance(5);
    const later = cache.getNewerThan('a', cache.revision());
    let laterIsThere = false;
    later.then(() => {
      laterIsThere = true;
    });
    world.change('a/c', 'running');
    world.intercept = (call) => (call === 'getPod a' ? clock.sleep(5) : Promise.resolve());
    open();
    await clock.settle();
    expect((await shared).name).toBe('a/c=running');
    expect(laterIsThere).toBe(false);
    await clock.advance(5);
    expect((await later).name).toBe('a/c=running');
    expect(world.takeCalls()).toEqual(['getPod a', 'getPodStatus a', 'getPod a']);
  });

  it('gets a status even if the first inspection fails', async () => {
    const { world, clock, cache, settled } = setUp();
    await settled();
    let failures = 2;
    world.intercept = async (call) => {
      if (call === 'getPod a' && failures-- > 0) throw unavailable();
    };
    const news = cache.getNewerThan('a', cache.revision());
    await clock.advance(2_000);
    expect((await news).uid).toBe('a');
  });

  it('gets a new status on requestReinspect even without a change', async () => {
    const { world, clock, pleg, take, settled } = setUp();
    await settled();
    world.tell('a/c', 'running');
    await clock.settle();
    take();
    world.takeCalls();
    pleg.requestReinspect('a');
    await clock.settle();
    expect(world.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
    expect(take()).toEqual(['a PodSync']);
  });
});

describe('without a stream', () => {
  it('relists every second after five failed connects, and retries the stream later', async () => {
    const { world, clock, pleg, cached, metric } = setUp();
    let connects = 0;
    let refused = true;
    world.connect = async () => {
      connects++;
      if (refused) throw unavailable();
    };
    await pleg.start();
    await clock.advance(4_500);
    expect(pleg.mode()).toBe('generic');
    expect(connects).toBe(5);
    expect(metric('kubelet_evented_pleg_connection_error_count')).toBe(5);
    world.takeCalls();
    world.change('a/c', 'running');
    await clock.advance(9_000);
    expect(cached('a')).toBe('a/c=running');
    expect(world.takeCalls().filter((call) => call === 'getPods')).toHaveLength(9);
    expect(connects).toBe(5);
    refused = false;
    await clock.advance(60_000);
    expect(pleg.mode()).toBe('evented');
    expect(connects).toBe(6);
    expect(metric('kubelet_evented_pleg_connection_success_count')).toBe(1);
    world.takeCalls();
    await clock.advance(600_000);
    expect(world.takeCalls().length).toBeLessThanOrEqual(3);
  });

  it('does not retry a runtime without events until it was unreachable', async () => {
    const { world, clock, pleg, metric } = setUp();
    let old = true;
    let down = false;
    let connects = 0;
    world.connect = async () => {
      connects++;
      if (old) throw unimplemented();
    };
    world.intercept = async () => {
      if (down) throw unavailable();
    };
    await pleg.start();
    await clock.advance(3_600_000);
    expect(connects).toBe(1);
    expect(pleg.mode()).toBe('generic');
    expect(world.takeCalls().filter((call) => call === 'getPods').length).toBeGreaterThan(3_500);
    down = true;
    await clock.advance(5_000);
    [old, down] = [false, false];
    await clock.advance(20_000);
    expect(connects).toBe(2);
    expect(pleg.mode()).toBe('evented');
    expect(metric('kubelet_evented_pleg_connection_success_count')).toBe(1);
  });

  it('keeps retrying with evented: on', async () => {
    const { world, clock, pleg } = setUp({ evented: 'on' });
    let connects = 0;
    world.connect = async () => {
      connects++;
      throw unimplemented();
    };
    await pleg.start();
    await clock.advance(60_000);
    expect(connects).toBe(7);
  });

  it('loses no change during a restart of the runtime', async () => {
    const { world, clock, pleg, cached, take, settled } = setUp();
    await settled();
    world.tell('a/c', 'running');
    await clock.settle();
    take();
    let down = true;
    const whileDown = async () => {
      if (down) throw unavailable();
    };
    world.intercept = whileDown;
    world.connect = whileDown;
    world.endStreams(unavailable());
    await clock.advance(20_000);
    world.change('a/c', 'exited');
    world.change('b/c', 'running');
    expect(take()).toEqual([]);
    down = false;
    await clock.advance(1_000);
    expect([cached('a'), cached('b')]).toEqual(['a/c=exited', 'b/c=running']);
    expect(take().sort()).toEqual(['a ContainerDied a/c', 'b ContainerStarted b/c']);
    await clock.advance(60_000);
    expect(pleg.mode()).toBe('evented');
  });

  it('lets a reader wait for the next relist, at most a second', async () => {
    const { world, clock, cache, pleg } = setUp();
    world.connect = async () => {
      throw unimplemented();
    };
    await pleg.start();
    await clock.advance(10_500);
    world.takeCalls();
    const news = cache.getNewerThan('a', cache.revision());
    await clock.advance(500);
    await news;
    expect(world.takeCalls()).toEqual(['getPods']);
  });
});

describe('health', () => {
  it('has ten minutes with events, and names the call that hangs', async () => {
    const { world, clock, pleg, settled } = setUp();
    expect(pleg.unhealthyReason()).toBe('pleg has yet to be successful');
    await settled();
    world.intercept = (call) => (call === 'getPods' ? new Promise(() => {}) : Promise.resolve());
    await clock.advance(400_000);
    expect(pleg.unhealthyReason()).toBeUndefined();
    await clock.advance(300_000);
    expect(pleg.unhealthyReason()).toMatch(/^pleg was last seen active .* ago; threshold is 10m0s; getPods has not answered for /);
  });

  it('has three minutes without them, counted from the fall-back', async () => {
    const { world, clock, pleg, settled } = setUp();
    await settled();
    const refuse = async () => {
      throw unavailable();
    };
    world.intercept = refuse;
    world.connect = refuse;
    await clock.advance(100_000);
    world.endStreams(unavailable());
    await clock.advance(5_000);
    expect(pleg.mode()).toBe('generic');
    expect(pleg.unhealthyReason()).toBeUndefined();
    await clock.advance(181_000);
    expect(pleg.unhealthyReason()).toMatch(/threshold is 3m0s/);
  });
});

describe('lifecycle', () => {
  it('does nothing before start, leaves no timers after stop, and can start again', async () => {
    const { world, clock, pleg, cache, cached } = setUp();
    expect(clock.pending).toBe(0);
    for (const uid of ['a', 'b']) {
      await pleg.start();
      await pleg.start();
      await clock.settle();
      world.tell(`${uid}/c`, 'running');
      await clock.settle();
      expect(cached(uid)).toBe(`${uid}/c=running`);
      await pleg.stop();
      await pleg.stop();
      expect([clock.pending, world.streams.size, cache.onWaiting, pleg.mode()]).toEqual([0, 0, undefined, 'generic']);
    }
  });

  it('stops when its signal aborts, even during hanging calls', async () => {
    const { world, clock, pleg } = setUp();
    const controller = new AbortController();
    world.connect = () => new Promise(() => {});
    world.intercept = () => new Promise(() => {});
    await pleg.start(controller.signal);
    await clock.advance(20_000);
    controller.abort();
    await pleg.stop();
    expect(clock.pending).toBe(0);
  });

  it.each(['relistPeriodMs', 'eventedRelistPeriodMs', 'driftGraceMs', 'maxPendingInspections', 'statusConcurrency'] as const)(
    'refuses %s 0',
    (field) => {
      const { world } = setUp();
      const options = { runtime: world.runtime, containerEvents: world.containerEvents, cache: createPodCache(), [field]: 0 };
      expect(() => createEventedPleg(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
    },
  );

  it('keeps the gauges current between relists', async () => {
    const { world, clock, metric, settled } = setUp();
    await settled();
    world.tell('a/c', 'running');
    world.tell('a/d', 'running');
    await clock.settle();
    expect(metric('kubelet_running_containers running')).toBe(2);
    world.tell('a/c', 'exited');
    await clock.settle();
    expect(metric('kubelet_running_containers running')).toBe(1);
    expect(metric('kubelet_evented_pleg_connection_latency_seconds')).toBe(3);
  });
});
