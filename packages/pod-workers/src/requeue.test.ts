import { NodeAgentError } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { earliestBackOffExpiry, isNetworkNotReady, jitter, requeueDelay } from './requeue.js';

const settings = { resyncIntervalMs: 60_000, backOffPeriodMs: 10_000 };
const now = 1_000_000;
const delay = (error: unknown, phaseTransition = false) => requeueDelay({ error, phaseTransition }, settings, now);
const backOff = (code: string, expiry: unknown) =>
  new NodeAgentError(code, 'back-off 20s restarting failed container', { details: { expiry } });

describe('requeueDelay', () => {
  it('follows the outcome', () => {
    expect(delay(undefined)).toBe(60_000);
    expect(delay(undefined, true)).toBe(0);
    expect(delay(new Error('boom'))).toBe(10_000);
    expect(delay(new Error('network is not ready: no CNI'))).toBe(1000);
    expect(delay(new NodeAgentError('NetworkNotReady', 'no CNI'))).toBe(1000);
  });

  it('waits for the first of the back-offs to run out, within its limits', () => {
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

  it('takes a back-off without a time, another code or a foreign value for any other error', () => {
    expect(delay(backOff('CrashLoopBackOff', undefined))).toBe(10_000);
    expect(delay(backOff('RunContainerError', now + 25_000))).toBe(10_000);
    expect(delay('a text')).toBe(10_000);
    expect(delay(null)).toBe(10_000);
  });

  it('survives errors that cause each other', () => {
    const one: Error & { cause?: unknown } = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(earliestBackOffExpiry(one)).toBeUndefined();
    expect(isNetworkNotReady(one)).toBe(false);
  });
});

it('jitters by up to a half', () => {
  expect(jitter(10, () => 0)).toBe(10);
  expect(jitter(10, () => 0.5)).toBe(12.5);
  expect(jitter(0, () => 0.9)).toBe(0);
});
