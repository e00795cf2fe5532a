import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { DiscoveryChecks } from './discovery-checks.js';

it('asks every 30 seconds, reports changes, and ends', async () => {
  const clock = createVirtualClock();
  const results: unknown[] = [];
  let problem: string | undefined;
  let asked = 0;
  const ask = async () => {
    asked++;
    return problem;
  };
  const checks = new DiscoveryChecks(clock, () => results.push(checks.resultOf('a', ask)?.reason));
  expect(checks.resultOf('a', ask)).toBeUndefined();
  await clock.advance(60_000);
  expect([asked, results]).toEqual([3, ['Passed']]);
  problem = 'it is down';
  await clock.advance(30_000);
  expect(checks.resultOf('a', ask)).toEqual({ status: 'False', reason: 'FailedDiscoveryCheck', message: 'it is down' });
  checks.keepOnly(new Set(['b']));
  await clock.advance(60_000);
  expect([asked, results, clock.pending]).toEqual([4, ['Passed', 'FailedDiscoveryCheck'], 0]);
});
