import { describe, expect, it } from 'vitest';
import { effectiveGracePeriod, killTimeoutSeconds } from './grace-period.js';

describe('effectiveGracePeriod', () => {
  it('is the smaller one of deletion and override, else the one of the spec', () => {
    expect(effectiveGracePeriod({ recorded: 0, terminationGracePeriodSeconds: 30 })).toEqual({ gracePeriod: 30, shortened: false });
    expect(effectiveGracePeriod({ recorded: 0, deletionGracePeriodSeconds: 20, terminationGracePeriodSeconds: 5 }).gracePeriod).toBe(20);
    expect(effectiveGracePeriod({ recorded: 0, deletionGracePeriodSeconds: 20, override: 7 }).gracePeriod).toBe(7);
    expect(effectiveGracePeriod({ recorded: 0, deletionGracePeriodSeconds: 20, override: 90 }).gracePeriod).toBe(20);
  });

  it('only shortens a grace period in force', () => {
    expect(effectiveGracePeriod({ recorded: 10, override: 60 })).toEqual({ gracePeriod: 10, shortened: false });
    expect(effectiveGracePeriod({ recorded: 10, override: 3 })).toEqual({ gracePeriod: 3, shortened: true });
  });

  it('is never below one second', () => {
    expect(effectiveGracePeriod({ recorded: 0 }).gracePeriod).toBe(1);
    expect(effectiveGracePeriod({ recorded: 0, override: 0, terminationGracePeriodSeconds: 30 }).gracePeriod).toBe(1);
    expect(effectiveGracePeriod({ recorded: 0, override: -5 }).gracePeriod).toBe(1);
  });

  it('lets the source after one with 0 lengthen it, as the kubelet does', () => {
    expect(effectiveGracePeriod({ recorded: 5, deletionGracePeriodSeconds: 0, override: 300 })).toEqual({
      gracePeriod: 300,
      shortened: true,
    });
  });
});

it('waits one and a half times the grace period for a kill, at least 10 s', () => {
  expect([0, 1, 6, 7, 30, 31].map(killTimeoutSeconds)).toEqual([10, 10, 10, 10, 45, 46]);
});
