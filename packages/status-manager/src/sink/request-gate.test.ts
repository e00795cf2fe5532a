import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createRequestGate } from './request-gate.js';

function setUp(random = () => 0.5) {
  const clock = createVirtualClock();
  const gate = createRequestGate({ clock, random, requestsPerSecond: 50 });
  const once = (outcome: Parameters<typeof gate.end>[0]) => {
    gate.begin();
    gate.end(outcome);
  };
  return { clock, gate, once };
}

describe('the request gate', () => {
  it('allows ten concurrent requests', () => {
    const { gate } = setUp();
    for (let i = 0; i < 10; i++) {
      expect(gate.waitMs()).toBe(0);
      gate.begin();
    }
    expect(gate.waitMs()).toBe(Number.POSITIVE_INFINITY);
    gate.end({ answered: true });
    expect(gate.waitMs()).toBe(20);
  });

  it('limits the rate after the first ten', async () => {
    const { clock, gate, once } = setUp();
    let passed = 0;
    while (clock.monotonic() < 1_000) {
      const wait = gate.waitMs();
      if (wait > 0) await clock.advance(wait);
      else {
        once({ answered: true });
        passed++;
      }
    }
    expect(passed).toBe(59);
  });

  it('closes with increasing delays, allows one attempt, and opens after a response to it', async () => {
    const { clock, gate, once } = setUp();
    const pauses: number[] = [];
    for (let i = 0; i < 7; i++) {
      once({ answered: false });
      pauses.push(gate.waitMs());
      await clock.advance(gate.waitMs());
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    gate.begin();
    expect(gate.waitMs()).toBe(Number.POSITIVE_INFINITY);
    gate.end({ answered: true });
    gate.begin();
    expect(gate.waitMs()).toBe(0);
  });

  it('adds jitter to its delays, and waits at least for Retry-After', () => {
    const [early, late] = [setUp(() => 0), setUp(() => 0.999)];
    early.once({ answered: false });
    late.once({ answered: false });
    expect(early.gate.waitMs()).toBe(500);
    expect(Math.round(late.gate.waitMs())).toBe(1_499);
    const asked = setUp();
    asked.once({ answered: false, retryAfterMs: 60_000 });
    expect(asked.gate.waitMs()).toBe(60_500);
  });

  it('counts concurrent failures once, and ignores responses to earlier requests', () => {
    const { gate } = setUp();
    for (let i = 0; i < 10; i++) gate.begin();
    for (let i = 0; i < 8; i++) gate.end({ answered: false });
    gate.end({ answered: true });
    gate.end({ answered: false, retryAfterMs: 5_000 });
    expect(gate.waitMs()).toBe(5_500);
  });
});
