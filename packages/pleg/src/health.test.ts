import { describe, expect, it } from 'vitest';
import { relistUnhealthyReason } from './health.js';

describe('relistUnhealthyReason', () => {
  const thresholdMs = 180_000;

  it('is unhealthy until the first listing succeeded', () => {
    expect(relistUnhealthyReason({ lastRelist: undefined, thresholdMs }, 5)).toBe('pleg has yet to be successful');
  });

  it('is healthy exactly at the threshold', () => {
    expect(relistUnhealthyReason({ lastRelist: 1000, thresholdMs }, 181_000)).toBeUndefined();
    expect(relistUnhealthyReason({ lastRelist: 1000, thresholdMs }, 181_001)).toBe(
      'pleg was last seen active 3m0.001s ago; threshold is 3m0s',
    );
  });

  it('names the call that hangs', () => {
    const waitingCall = { name: 'getPodStatus of pod a', since: 10_000 };
    expect(relistUnhealthyReason({ lastRelist: 0, thresholdMs, waitingCall }, 200_000)).toBe(
      'pleg was last seen active 3m20s ago; threshold is 3m0s; getPodStatus of pod a has not answered for 3m10s',
    );
    expect(relistUnhealthyReason({ lastRelist: 0, thresholdMs, waitingCall }, 20_000)).toBeUndefined();
  });
});
