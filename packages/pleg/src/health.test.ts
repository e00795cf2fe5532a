import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.js';
import { relistUnhealthyReason } from './health.js';

describe('relistUnhealthyReason', () => {
  const thresholdMs = 180_000;

  it('is unhealthy until the first listing succeeded', () => {
    expect(relistUnhealthyReason({ lastRelist: undefined, thresholdMs }, 5)).toBe('pleg has yet to be successful');
  });

  it('allows the threshold itself', () => {
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

describe('formatDuration', () => {
  it('prints as the kubelet does', () => {
    expect([0, 7, 1000, 1500, 59_999, 60_000, 200_000, 3_600_000, 3_723_250, -5].map(formatDuration)).toEqual([
      '0s',
      '7ms',
      '1s',
      '1.5s',
      '59.999s',
      '1m0s',
      '3m20s',
      '1h0m0s',
      '1h2m3.25s',
      '0s',
    ]);
  });
});
