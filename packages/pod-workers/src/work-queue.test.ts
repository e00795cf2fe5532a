import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createWorkQueue } from './work-queue.js';

function setUp() {
  const clock = createVirtualClock();
  const queue = createWorkQueue({ clock });
  const seen: string[] = [];
  const listen = () => {
    queue.onDue = () => seen.push(`${clock.monotonic()} ${queue.takeDue().join(' ')}`);
  };
  return { clock, queue, seen, listen };
}

describe('takeDue', () => {
  it('returns each item once, after its time has passed', async () => {
    const { clock, queue } = setUp();
    queue.enqueue('a', 0);
    queue.enqueue('b', 10);
    expect(queue.takeDue()).toEqual([]);
    await clock.advance(1);
    expect(queue.takeDue()).toEqual(['a']);
    await clock.advance(9);
    expect(queue.takeDue()).toEqual([]);
    await clock.advance(1);
    expect(queue.takeDue()).toEqual(['b']);
    expect(queue.size).toBe(0);
  });

  it('uses the last time of an item, earlier or later', async () => {
    const { clock, queue } = setUp();
    queue.enqueue('a', 5);
    queue.enqueue('a', 100);
    queue.enqueue('b', 100);
    queue.enqueue('b', 5);
    await clock.advance(50);
    expect(queue.takeDue()).toEqual(['b']);
  });
});

describe('onDue', () => {
  it('is called when items are due, with one timer, and none without items or a listener', async () => {
    const { clock, queue, seen, listen } = setUp();
    queue.enqueue('a', 100);
    expect(clock.pending).toBe(0);
    listen();
    queue.enqueue('b', 50);
    queue.enqueue('c', 200);
    queue.enqueue('d', 50);
    expect(clock.pending).toBe(1);
    await clock.advance(1000);
    expect(seen).toEqual(['51 b d', '101 a', '201 c']);
    expect(clock.pending).toBe(0);
    queue.enqueue('e', 5);
    queue.onDue = undefined;
    expect(clock.pending).toBe(0);
  });

  it('is not called at the earlier time of a postponed item', async () => {
    const { clock, queue, seen, listen } = setUp();
    listen();
    queue.enqueue('a', 10);
    queue.enqueue('a', 500);
    await clock.advance(400);
    expect(seen).toEqual([]);
    await clock.advance(200);
    expect(seen).toEqual(['501 a']);
  });

  it('is not called repeatedly if the listener takes no items', async () => {
    const { clock, queue } = setUp();
    let calls = 0;
    queue.onDue = () => calls++;
    queue.enqueue('a', 1);
    await clock.advance(1000);
    expect(calls).toBe(1);
    queue.enqueue('b', 1);
    await clock.advance(1000);
    expect(calls).toBe(2);
    expect(queue.takeDue()).toEqual(['a', 'b']);
  });

  it('ignores jumps of the wall clock', async () => {
    const { clock, queue, seen, listen } = setUp();
    listen();
    queue.enqueue('a', 10);
    clock.jump(-3_600_000);
    await clock.advance(20);
    expect(seen).toEqual(['11 a']);
  });
});

it('calls no listener after it was stopped', async () => {
  const { clock, queue, seen, listen } = setUp();
  listen();
  queue.enqueue('a', 10);
  queue.stop();
  queue.stop();
  queue.enqueue('b', 10);
  await clock.advance(100);
  expect([seen, queue.size, clock.pending]).toEqual([[], 0, 0]);
});
