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
    const { fake, clock, pleg, cached, take, settled } = setUp();
    await settled();
    const seen: (string | undefined)[] = [];
    pleg.events.onOffer = () => seen.push(cached('a'));
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    expect(take()).toEqual(['a ContainerStarted a/c']);
    expect(seen).toEqual(['a/c=running']);
    expect(fake.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
    fake.changeAndSend('a/c', 'exited');
    await clock.settle();
    fake.changeAndSend('a/c', 'removed');
    await clock.settle();
    expect(take()).toEqual(['a ContainerDied a/c', 'a ContainerRemoved a/c']);
    expect(cached('a')).toBeUndefined();
  });

  it('for a created container waits a second for the next event', async () => {
    const { fake, clock, cached, settled } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'created');
    await clock.advance(100);
    expect(fake.takeCalls()).toEqual([]);
    fake.changeAndSend('a/c', 'running');
    await clock.advance(2_000);
    expect(fake.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
    fake.changeAndSend('b/never-started', 'created');
    await clock.advance(1_001);
    expect(fake.takeCalls()).toEqual(['getPod b', 'getPodStatus b']);
    expect(cached('b')).toBe('b/never-started=created');
  });

  it('causes no call if it is repeated, late or out of order', async () => {
    const { fake, clock, take, settled, drift } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    fake.changeAndSend('a/c', 'exited');
    await clock.settle();
    fake.takeCalls();
    take();
    for (const step of ['exited', 'running', 'created', 'exited'] as const) fake.sendEvent('a/c', step);
    fake.sendEvent('z/unknown', 'removed');
    await clock.advance(60_000);
    expect(fake.takeCalls()).toEqual([]);
    expect(take()).toEqual([]);
    expect(drift()).toBe(0);
  });

  it('may arrive before an earlier event', async () => {
    const { fake, clock, cached, take, settled } = setUp();
    await settled();
    fake.change('a/c', 'exited');
    fake.sendEvent('a/c', 'exited');
    fake.sendEvent('a/c', 'running');
    fake.sendEvent('a/c', 'created');
    await clock.settle();
    expect(cached('a')).toBe('a/c=exited');
    expect(take()).toEqual(['a ContainerDied a/c']);
  });

  it('for a pod that is not found triggers one full relist', async () => {
    const { fake, clock, cache, take, settled } = setUp();
    await settled();
    fake.sendEvent('ghost/c', 'running');
    await clock.settle();
    expect(fake.takeCalls()).toEqual(['getPod ghost', 'getPods']);
    expect(take()).toEqual([]);
    expect(cache.peek('ghost')).toBeUndefined();
  });

  it('without a pod UID is attributed by its container, else triggers a full relist', async () => {
    const { fake, clock, cached, settled } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    fake.takeCalls();
    fake.change('a/c', 'removed');
    fake.sendEvent('a/c', 'removed', { podSandboxStatus: null });
    await clock.settle();
    expect(fake.takeCalls()).toEqual(['getPod a']);
    fake.sendEvent('b/c', 'removed', { podSandboxStatus: null });
    await clock.settle();
    expect(fake.takeCalls()).toEqual([]);
    fake.change('b/c', 'running');
    fake.sendEvent('b/c', 'running', { podSandboxStatus: null });
    await clock.settle();
    expect(fake.takeCalls()).toEqual(['getPods', 'getPodStatus b']);
    expect(cached('b')).toBe('b/c=running');
  });

  it('is ignored if its pod vanishes before the status call', async () => {
    const { fake, clock, cached, settled } = setUp();
    await settled();
    fake.intercept = async (call) => {
      if (call === 'getPodStatus a') fake.change('a/c', 'removed');
    };
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    fake.sendEvent('a/c', 'removed');
    await clock.settle();
    expect(cached('a')).toBeUndefined();
  });

  it('is not lost if the status call fails: readers get the error, and the inspection is retried', async () => {
    const { fake, clock, cache, cached, take, settled } = setUp();
    await settled();
    for (const failing of ['getPodStatus a', 'getPod a']) {
      const step = failing === 'getPod a' ? 'exited' : 'running';
      fake.intercept = async (call) => {
        if (call === failing) throw unavailable();
      };
      fake.changeAndSend('a/c', step);
      await clock.advance(2_500);
      expect(take()).toEqual([]);
      if (failing === 'getPodStatus a') expect(() => cache.get('a')).toThrow('connection refused');
      fake.intercept = async () => {};
      await clock.advance(1_000);
      expect(cached('a')).toBe(`a/c=${step}`);
      expect(take()).toHaveLength(1);
    }
  });

  it('during an inspection of its pod triggers one more inspection, however many events arrive', async () => {
    const { fake, clock, cached, settled } = setUp();
    await settled();
    const { open, opened } = gate();
    fake.intercept = (call) => (call === 'getPodStatus a' ? opened : Promise.resolve());
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    fake.changeAndSend('a/c', 'exited');
    for (let i = 0; i < 100; i++) fake.changeAndSend(`a/d${i}`, 'running');
    await clock.settle();
    open();
    await clock.settle();
    expect(fake.takeCalls()).toEqual(['getPod a', 'getPodStatus a', 'getPod a', 'getPodStatus a']);
    expect(cached('a')).toBe(fake.expectedStatus('a'));
  });
});

describe('a burst', () => {
  it('of 10,000 events is coalesced per pod, with limited concurrency of status calls', async () => {
    const { fake, clock, cached, settled } = setUp();
    await settled();
    let open = 0;
    let most = 0;
    fake.intercept = async () => {
      most = Math.max(most, ++open);
      await clock.sleep(10);
      open--;
    };
    for (let i = 0; i < 10_000; i++) fake.changeAndSend(`p${i % 50}/c${Math.floor(i / 100)}`, i % 100 < 50 ? 'running' : 'exited');
    await clock.advance(5_000);
    const calls = fake.takeCalls();
    expect(most).toBe(4);
    expect(calls.length).toBeLessThanOrEqual(2 * 2 * 50);
    for (let i = 0; i < 50; i++) expect(cached(`p${i}`)).toBe(fake.expectedStatus(`p${i}`));
  });

  it('of more pods than the queue holds becomes a full relist', async () => {
    const { fake, clock, cached, settled, drift } = setUp({ maxPendingInspections: 10, statusConcurrency: 1 });
    await settled();
    for (let i = 0; i < 100; i++) fake.changeAndSend(`p${i}/c`, 'running');
    await clock.advance(10_000);
    // One more if events did not fit the queue during the first.
    expect(fake.takeCalls().filter((call) => call === 'getPods').length).toBeLessThanOrEqual(2);
    for (let i = 0; i < 100; i++) expect(cached(`p${i}`)).toBe(fake.expectedStatus(`p${i}`));
    expect(drift()).toBe(0);
  });
});

describe('relists', () => {
  it('start after the stream was requested, at growing intervals, and an idle node causes no calls in between', async () => {
    const { fake, clock, pleg } = setUp();
    await pleg.start();
    await clock.settle();
    expect(fake.takeCalls()).toEqual(['containerEvents', 'getPods']);
    const times: number[] = [];
    while (clock.monotonic() < 1_200_000) {
      await clock.advanceToNext();
      for (const call of fake.takeCalls()) {
        expect(call).toBe('getPods');
        times.push(clock.monotonic() / 1000);
      }
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 63, 127, 255, 511, 811, 1111, 1411].slice(0, times.length));
    expect(times.length).toBeGreaterThan(10);
  });

  it('cover events from before them, and leave events that arrive meanwhile to an inspection', async () => {
    const { fake, clock, pleg, cached, take, drift } = setUp();
    const { open, opened } = gate();
    fake.change('a/c', 'running');
    await pleg.start();
    fake.intercept = (call) => (call === 'getPods' ? opened : Promise.resolve());
    await clock.settle();
    fake.sendEvent('a/c', 'running');
    fake.changeAndSend('b/c', 'running');
    open();
    await clock.settle();
    fake.changeAndSend('b/c', 'exited');
    await clock.settle();
    expect(take()).toEqual(['a ContainerStarted a/c', 'b ContainerStarted b/c', 'b ContainerDied b/c']);
    expect(cached('b')).toBe('b/c=exited');
    expect(fake.takeCalls().filter((call) => call === 'getPod a')).toEqual([]);
    await clock.advance(60_000);
    expect(drift()).toBe(0);
  });

  it('find the first event lost after a reconnect within seconds, and count it', async () => {
    const { fake, clock, cached, take, settled, metric } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    fake.endStreams(unavailable());
    await clock.advance(1_000);
    expect(fake.streams.size).toBe(1);
    take();
    fake.change('a/c', 'exited');
    await clock.advance(1_000);
    expect(cached('a')).toBe('a/c=exited');
    expect(take()).toEqual(['a ContainerDied a/c']);
    await clock.advance(10_000);
    expect(metric('nodeagent_pleg_drift_total relist')).toBe(1);
    expect(metric('nodeagent_pleg_drift_total reconnect')).toBe(0);
  });

  it('warn of an exit without an event, but not of the removal of a container that had exited', async () => {
    const logger = createRecordingLogger();
    const { fake, clock, settled, metric } = setUp({ logger });
    await settled();
    const relistAfter = async (change: () => void) => {
      fake.endStreams(unavailable());
      await clock.advance(1_000);
      change();
      await clock.advance(20_000);
    };
    fake.changeAndSend('a/c', 'exited');
    await clock.settle();
    await relistAfter(() => fake.change('a/c', 'removed'));
    expect([metric('nodeagent_pleg_drift_total relist'), logger.messages('warn')]).toEqual([1, []]);
    fake.changeAndSend('b/c', 'running');
    await clock.settle();
    await relistAfter(() => fake.change('b/c', 'exited'));
    expect(metric('nodeagent_pleg_drift_total relist')).toBe(2);
    expect(logger.messages('warn')).toEqual(['relist found a change for which the runtime sent no event']);
  });

  it('find changes from the time without a stream', async () => {
    const { fake, clock, cached, settled, metric } = setUp();
    await settled();
    fake.endStreams();
    fake.change('a/c', 'running');
    fake.change('b/c', 'exited');
    await clock.advance(1_000);
    expect([cached('a'), cached('b')]).toEqual(['a/c=running', 'b/c=exited']);
    await clock.advance(10_000);
    expect(metric('nodeagent_pleg_drift_total reconnect')).toBe(2);
  });

  it('do not count a change that the stream reports shortly afterwards', async () => {
    const { fake, clock, settled, drift } = setUp();
    await settled();
    const later: (() => void)[] = [];
    fake.intercept = async (call) => {
      if (call !== 'getPods') return;
      fake.change('a/c', 'running');
      later.push(() => fake.sendEvent('a/c', 'running'));
    };
    await clock.until(() => later.length > 0);
    fake.intercept = async () => {};
    await clock.advance(4_000);
    for (const sendEvent of later) sendEvent();
    await clock.advance(600_000);
    expect(drift()).toBe(0);
    expect(fake.streams.size).toBe(1);
  });

  it('find changes that a half-open stream does not report, and reopen the stream', async () => {
    const { fake, clock, cached, settled, metric } = setUp();
    await settled();
    fake.change('a/c', 'running');
    fake.takeCalls();
    await clock.advance(305_000);
    expect(cached('a')).toBe('a/c=running');
    await clock.advance(7_000);
    expect(metric('nodeagent_pleg_drift_total relist')).toBe(1);
    expect(fake.takeCalls().filter((call) => call === 'containerEvents')).toHaveLength(1);
    expect(fake.streams.size).toBe(1);
  });

  it('that fail are retried after a second, and the events that they were to cover are kept', async () => {
    const { fake, clock, cached, pleg } = setUp();
    let failures = 3;
    fake.intercept = async (call) => {
      if (call === 'getPods' && failures-- > 0) throw unavailable();
    };
    await pleg.start();
    await clock.settle();
    fake.changeAndSend('a/c', 'running');
    await clock.advance(3_000);
    expect(cached('a')).toBe('a/c=running');
    expect(fake.takeCalls().filter((call) => call === 'getPods').length).toBeLessThanOrEqual(5);
  });

  it('run on request, and one requested during a relist follows it', async () => {
    const { fake, clock, pleg, settled } = setUp();
    fake.change('a/c', 'running');
    await pleg.relist();
    expect(fake.takeCalls()).toEqual(['getPods', 'getPodStatus a']);
    await settled();
    const { open, opened } = gate();
    fake.intercept = () => opened;
    const first = pleg.relist();
    await clock.settle();
    const second = pleg.relist();
    open();
    await first;
    await second;
    expect(fake.takeCalls()).toEqual(['getPods', 'getPods']);
    fake.intercept = () => new Promise(() => {});
    const cut = pleg.relist(AbortSignal.abort());
    const lost = pleg.relist();
    await cut;
    await pleg.stop();
    await lost;
  });

  it('retry a failed status call a second later', async () => {
    const { fake, clock, cached, take, pleg } = setUp();
    fake.change('a/c', 'running');
    let failures = 1;
    fake.intercept = async (call) => {
      if (call === 'getPodStatus a' && failures-- > 0) throw unavailable();
    };
    await pleg.start();
    await clock.settle();
    expect(take()).toEqual([]);
    await clock.advance(1_000);
    expect(cached('a')).toBe('a/c=running');
    expect(take()).toEqual(['a ContainerStarted a/c']);
  });

  it('retry a failed status call a second later also when the next relist is minutes away', async () => {
    const { fake, clock, cached, take, settled } = setUp();
    await settled();
    fake.change('a/c', 'running');
    fake.change('b/c', 'running');
    const calls: string[] = [];
    fake.intercept = async (call) => {
      calls.push(`${clock.monotonic() / 1_000} ${call}`);
      if (call === 'getPodStatus a' && calls.filter((each) => each.endsWith(call)).length <= 2) throw unavailable();
    };
    await clock.advanceToNext();
    const at = clock.monotonic() / 1_000;
    await clock.advance(2_000);
    expect(calls.filter((call) => !call.endsWith('b'))).toEqual([
      `${at} getPods`,
      `${at} getPodStatus a`,
      `${at + 1} getPod a`,
      `${at + 1} getPodStatus a`,
      `${at + 2} getPod a`,
      `${at + 2} getPodStatus a`,
    ]);
    expect([cached('a'), cached('b')]).toEqual(['a/c=running', 'b/c=running']);
    expect(take()).toEqual(['b ContainerStarted b/c', 'a ContainerStarted a/c']);
  });
});

describe('a reader that waits', () => {
  it('gets the result of an inspection of its pod, not of the slow relist', async () => {
    const { fake, clock, cache, settled } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    fake.takeCalls();
    for (const uid of ['a', 'not there']) {
      await clock.advance(1);
      const newer = cache.getNewerThan(uid, cache.revision());
      await clock.settle();
      expect((await newer).uid).toBe(uid);
    }
    expect(fake.takeCalls()).toEqual(['getPod a', 'getPod not there']);
  });

  it('causes no call if the cached status is new enough', async () => {
    const { fake, clock, cache, settled } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    fake.takeCalls();
    await clock.advance(100_000);
    expect((await cache.getNewerThan('a', 0)).name).toBe('a/c=running');
    expect(fake.takeCalls()).toEqual([]);
  });

  it('shares the inspection requested for its sync, and gets only one that began after the sync', async () => {
    const { fake, clock, cache, pleg, settled } = setUp();
    await settled();
    const { open, opened } = gate();
    fake.intercept = (call) => (call === 'getPod a' ? opened : Promise.resolve());
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
    fake.change('a/c', 'running');
    fake.intercept = (call) => (call === 'getPod a' ? clock.sleep(5) : Promise.resolve());
    open();
    await clock.settle();
    expect((await shared).name).toBe('a/c=running');
    expect(laterIsThere).toBe(false);
    await clock.advance(5);
    expect((await later).name).toBe('a/c=running');
    expect(fake.takeCalls()).toEqual(['getPod a', 'getPodStatus a', 'getPod a']);
  });

  it('gets a status even if the first inspection fails', async () => {
    const { fake, clock, cache, settled } = setUp();
    await settled();
    let failures = 2;
    fake.intercept = async (call) => {
      if (call === 'getPod a' && failures-- > 0) throw unavailable();
    };
    const newer = cache.getNewerThan('a', cache.revision());
    await clock.advance(2_000);
    expect((await newer).uid).toBe('a');
  });

  it('gets a new status on requestReinspect even without a change', async () => {
    const { fake, clock, pleg, take, settled } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    take();
    fake.takeCalls();
    pleg.requestReinspect('a');
    await clock.settle();
    expect(fake.takeCalls()).toEqual(['getPod a', 'getPodStatus a']);
    expect(take()).toEqual(['a PodSync']);
  });
});

describe('without a stream', () => {
  it('relists every second after five failed connects, and retries the stream later', async () => {
    const { fake, clock, pleg, cached, metric } = setUp();
    let connects = 0;
    let refused = true;
    fake.connect = async () => {
      connects++;
      if (refused) throw unavailable();
    };
    await pleg.start();
    await clock.advance(4_500);
    expect(pleg.mode()).toBe('generic');
    expect(connects).toBe(5);
    expect(metric('kubelet_evented_pleg_connection_error_count')).toBe(5);
    fake.takeCalls();
    fake.change('a/c', 'running');
    await clock.advance(9_000);
    expect(cached('a')).toBe('a/c=running');
    expect(fake.takeCalls().filter((call) => call === 'getPods')).toHaveLength(9);
    expect(connects).toBe(5);
    refused = false;
    await clock.advance(60_000);
    expect(pleg.mode()).toBe('evented');
    expect(connects).toBe(6);
    expect(metric('kubelet_evented_pleg_connection_success_count')).toBe(1);
    fake.takeCalls();
    await clock.advance(600_000);
    expect(fake.takeCalls().length).toBeLessThanOrEqual(3);
  });

  it('does not retry a runtime without events until it was unreachable', async () => {
    const { fake, clock, pleg, metric } = setUp();
    let old = true;
    let down = false;
    let connects = 0;
    fake.connect = async () => {
      connects++;
      if (old) throw unimplemented();
    };
    fake.intercept = async () => {
      if (down) throw unavailable();
    };
    await pleg.start();
    await clock.advance(3_600_000);
    expect(connects).toBe(1);
    expect(pleg.mode()).toBe('generic');
    expect(fake.takeCalls().filter((call) => call === 'getPods').length).toBeGreaterThan(3_500);
    down = true;
    await clock.advance(5_000);
    [old, down] = [false, false];
    await clock.advance(20_000);
    expect(connects).toBe(2);
    expect(pleg.mode()).toBe('evented');
    expect(metric('kubelet_evented_pleg_connection_success_count')).toBe(1);
  });

  it('keeps retrying with evented: on', async () => {
    const { fake, clock, pleg } = setUp({ evented: 'on' });
    let connects = 0;
    fake.connect = async () => {
      connects++;
      throw unimplemented();
    };
    await pleg.start();
    await clock.advance(60_000);
    expect(connects).toBe(7);
  });

  it('loses no change during a restart of the runtime', async () => {
    const { fake, clock, pleg, cached, take, settled } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    await clock.settle();
    take();
    let down = true;
    const whileDown = async () => {
      if (down) throw unavailable();
    };
    fake.intercept = whileDown;
    fake.connect = whileDown;
    fake.endStreams(unavailable());
    await clock.advance(20_000);
    fake.change('a/c', 'exited');
    fake.change('b/c', 'running');
    expect(take()).toEqual([]);
    down = false;
    await clock.advance(1_000);
    expect([cached('a'), cached('b')]).toEqual(['a/c=exited', 'b/c=running']);
    expect(take().sort()).toEqual(['a ContainerDied a/c', 'b ContainerStarted b/c']);
    await clock.advance(60_000);
    expect(pleg.mode()).toBe('evented');
  });

  it('lets a reader wait for the next relist, at most a second', async () => {
    const { fake, clock, cache, pleg } = setUp();
    fake.connect = async () => {
      throw unimplemented();
    };
    await pleg.start();
    await clock.advance(10_500);
    fake.takeCalls();
    const newer = cache.getNewerThan('a', cache.revision());
    await clock.advance(500);
    await newer;
    expect(fake.takeCalls()).toEqual(['getPods']);
  });
});

describe('health', () => {
  it('has ten minutes with events, and names the call that hangs', async () => {
    const { fake, clock, pleg, settled } = setUp();
    expect(pleg.unhealthyReason()).toBe('pleg has yet to be successful');
    await settled();
    fake.intercept = (call) => (call === 'getPods' ? new Promise(() => {}) : Promise.resolve());
    await clock.advance(400_000);
    expect(pleg.unhealthyReason()).toBeUndefined();
    await clock.advance(300_000);
    expect(pleg.unhealthyReason()).toMatch(/^pleg was last seen active .* ago; threshold is 10m0s; getPods has not answered for /);
  });

  it('has three minutes without them, counted from the fall-back', async () => {
    const { fake, clock, pleg, settled } = setUp();
    await settled();
    const refuse = async () => {
      throw unavailable();
    };
    fake.intercept = refuse;
    fake.connect = refuse;
    await clock.advance(100_000);
    fake.endStreams(unavailable());
    await clock.advance(5_000);
    expect(pleg.mode()).toBe('generic');
    expect(pleg.unhealthyReason()).toBeUndefined();
    await clock.advance(181_000);
    expect(pleg.unhealthyReason()).toMatch(/threshold is 3m0s/);
  });
});

describe('lifecycle', () => {
  it('does nothing before start, leaves no timers after stop, and can start again', async () => {
    const { fake, clock, pleg, cache, cached } = setUp();
    expect(clock.pending).toBe(0);
    for (const uid of ['a', 'b']) {
      await pleg.start();
      await pleg.start();
      await clock.settle();
      fake.changeAndSend(`${uid}/c`, 'running');
      await clock.settle();
      expect(cached(uid)).toBe(`${uid}/c=running`);
      await pleg.stop();
      await pleg.stop();
      expect([clock.pending, fake.streams.size, cache.onWaiting, pleg.mode()]).toEqual([0, 0, undefined, 'generic']);
    }
  });

  it('stops when its signal aborts, even during hanging calls', async () => {
    const { fake, clock, pleg } = setUp();
    const controller = new AbortController();
    fake.connect = () => new Promise(() => {});
    fake.intercept = () => new Promise(() => {});
    await pleg.start(controller.signal);
    await clock.advance(20_000);
    controller.abort();
    await pleg.stop();
    expect(clock.pending).toBe(0);
  });

  it.each(['relistPeriodMs', 'eventedRelistPeriodMs', 'driftGraceMs', 'maxPendingInspections', 'statusConcurrency'] as const)(
    'refuses %s 0',
    (field) => {
      const { fake } = setUp();
      const options = { runtime: fake.runtime, containerEvents: fake.containerEvents, cache: createPodCache(), [field]: 0 };
      expect(() => createEventedPleg(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
    },
  );

  it('keeps the gauges current between relists', async () => {
    const { fake, clock, metric, settled } = setUp();
    await settled();
    fake.changeAndSend('a/c', 'running');
    fake.changeAndSend('a/d', 'running');
    await clock.settle();
    expect(metric('kubelet_running_containers running')).toBe(2);
    fake.changeAndSend('a/c', 'exited');
    await clock.settle();
    expect(metric('kubelet_running_containers running')).toBe(1);
    expect(metric('kubelet_evented_pleg_connection_latency_seconds')).toBe(3);
  });
});
