import { getEventListeners } from 'node:events';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { abandonAtDeadline, type Deadline, withDeadline } from './deadline.js';

function setUp() {
  const clock = createVirtualClock();
  const caller = new AbortController();
  const late = new Error('too late');
  const deadline: Deadline = { clock, timeoutMs: 100, signal: caller.signal, error: () => late };
  const leftovers = () => [clock.pending, getEventListeners(caller.signal, 'abort').length];
  /** `settled`, with the virtual time at which it settled. */
  const outcome = async (work: Promise<unknown>) => {
    const settled = await work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    return { ...settled, at: clock.monotonic() };
  };
  return { clock, caller, late, deadline, leftovers, outcome };
}

/** Work that does not settle before `finish` is called, and notes when its signal aborts. */
function stubbornWork() {
  const reasons: unknown[] = [];
  let finish: { resolve: (value: string) => void; reject: (error: Error) => void } | undefined;
  const run = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      finish = { resolve, reject };
    });
  return { run, reasons, resolve: (value: string) => finish?.resolve(value), reject: (error: Error) => finish?.reject(error) };
}

describe.each([
  ['withDeadline', withDeadline],
  ['abandonAtDeadline', abandonAtDeadline],
])('%s', (_name, bounded) => {
  it('settles as the work does if it ends in time', async () => {
    const { deadline, leftovers, outcome } = setUp();
    expect(await outcome(bounded(deadline, async () => 'done'))).toEqual({ value: 'done', at: 0 });
    expect(await outcome(bounded(deadline, () => 'at once'))).toEqual({ value: 'at once', at: 0 });
    const failure = new Error('failed');
    expect(await outcome(bounded(deadline, () => Promise.reject(failure)))).toEqual({ error: failure, at: 0 });
    const thrower = () => {
      throw failure;
    };
    expect(await outcome(bounded(deadline, thrower))).toEqual({ error: failure, at: 0 });
    expect(leftovers()).toEqual([0, 0]);
  });

  it('rejects with the given error when the work has ended after the deadline', async () => {
    const { clock, deadline, late, leftovers, outcome } = setUp();
    const ended = outcome(bounded(deadline, (signal) => clock.sleep(1_000, signal)));
    await clock.advance(99);
    expect(leftovers()).toEqual([2, 1]);
    await clock.advance(1);
    expect(await ended).toEqual({ error: late, at: 100 });
    expect(leftovers()).toEqual([0, 0]);
  });

  it('aborts the work with the reason of the caller', async () => {
    const { clock, caller, deadline, leftovers, outcome } = setUp();
    const ended = outcome(bounded(deadline, (signal) => clock.sleep(1_000, signal)));
    await clock.advance(50);
    const reason = new Error('the agent stops');
    caller.abort(reason);
    expect(await ended).toEqual({ error: reason, at: 50 });
    expect(leftovers()).toEqual([0, 0]);
  });

  it("does not call the work if the caller's signal has aborted", async () => {
    const { caller, deadline, leftovers } = setUp();
    caller.abort(new Error('the agent stops'));
    let hasStarted = false;
    const ended = bounded(deadline, () => {
      hasStarted = true;
    });
    await expect(ended).rejects.toThrow('the agent stops');
    expect([hasStarted, ...leftovers()]).toEqual([false, 0, 0]);
  });

  it("works without a caller's signal", async () => {
    const { clock, deadline, late, outcome } = setUp();
    const { signal: _, ...own } = deadline;
    const ended = outcome(bounded(own, (signal) => clock.sleep(1_000, signal)));
    await clock.advance(100);
    expect(await ended).toEqual({ error: late, at: 100 });
  });
});

describe('work that ignores its signal', () => {
  it('withDeadline waits for it and settles with its outcome', async () => {
    const { clock, deadline, late, leftovers, outcome } = setUp();
    const work = stubbornWork();
    const ended = outcome(withDeadline(deadline, work.run));
    await clock.advance(500);
    expect([work.reasons, ...leftovers()]).toEqual([[late], 0, 1]);
    work.resolve('late answer');
    expect(await ended).toEqual({ value: 'late answer', at: 500 });
    expect(leftovers()).toEqual([0, 0]);
  });

  it('abandonAtDeadline rejects at the deadline and ignores its outcome', async () => {
    const { clock, deadline, late, leftovers, outcome } = setUp();
    const work = stubbornWork();
    const ended = outcome(abandonAtDeadline(deadline, work.run));
    await clock.advance(100);
    expect(await ended).toEqual({ error: late, at: 100 });
    expect([work.reasons, ...leftovers()]).toEqual([[late], 0, 0]);
    // An unhandled rejection would fail the test run.
    work.reject(new Error('failed after the deadline'));
    await clock.settle();
  });

  it('abandonAtDeadline rejects when the caller aborts', async () => {
    const { clock, caller, deadline, leftovers, outcome } = setUp();
    const work = stubbornWork();
    const ended = outcome(abandonAtDeadline(deadline, work.run));
    await clock.advance(50);
    const reason = new Error('the agent stops');
    caller.abort(reason);
    expect(await ended).toEqual({ error: reason, at: 50 });
    expect([work.reasons, ...leftovers()]).toEqual([[reason], 0, 0]);
  });
});
