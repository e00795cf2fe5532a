import { NodeAgentError } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { earliestBackOffExpiry, isNetworkNotReady, jitter, requeueDelay } from './requeue.js';

const settings = { syncFrequencyMs: 60_000, backOffPeriodMs: 10_000 };
const now = 1_000_000;
const delay = (error: unknown, phaseTransition = false) => requeueDelay({ error, phaseTransition }, settings, now);
const backOff = (code: string, expiry: unknown) =>
  new NodeAgentError(code, 'back-off 20s restarting failed container', { details: { expiry } });

describe('requeueDelay', () => {
  it('depends on the outcome of the sync', () => {
    expect(delay(undefined)).toBe(60_000);
    expect(delay(undefined, true)).toBe(0);
    expect(delay(new Error('boom'))).toBe(10_000);
    expect(delay(new Error('network is not ready: no CNI'))).toBe(1000);
    expect(delay(new NodeAgentError('NetworkNotReady', 'no CNI'))).toBe(1000);
  });

  it('waits for the first back-off to expire, at most the resync interval', () => {
    expect(delay(backOff('CrashLoopBackOff', now + 25_000))).toBe(25_000);
    const both = new AggregateError([
      new Error('other', { cause: backOff('ImagePullBackOff', now + 40_000) }),
      backOff('CrashLoopBackOff', now + 20_000),
      new Error('boom'),
    ]);
    expect(delay(both)).toBe(20_000);
    expect(delay(backOff('CrashLoopBackOff', now - 5))).toBe(0);
    expect(delay(backOff('CrashLoopBackOff', now + 300_000))).toBe(60_000);
  });

  it('handles a back-off without an expiry, another code or a thrown non-error as any error', () => {
    expect(delay(backOff('CrashLoopBackOff', undefined))).toBe(10_000);
    expect(delay(backOff('RunContainerError', now + 25_000))).toBe(10_000);
    expect(delay('a text')).toBe(10_000);
    expect(delay(null)).toBe(10_000);
  });

  it('handles errors whose causes form a cycle', () => {
    const one: Error & { cause?: unknown } = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(earliestBackOffExpiry(one)).toBeUndefined();
    expect(isNetworkNotReady(one)).toBe(false);
  });
});

it('adds up to 50% of jitter', () => {
  expect(jitter(10, () => 0)).toBe(10);
  expect(jitter(10, () => 0.5)).toBe(12.5);
  expect(jitter(0, () => 0.9)).toBe(0);
});
