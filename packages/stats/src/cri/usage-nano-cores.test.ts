import { expect, it } from 'vitest';
import { createUsageNanoCores } from './usage-nano-cores.js';

const second = 1_000_000_000n;
const cpu = (seconds: bigint, usedSeconds: bigint) => ({
  timestamp: seconds * second,
  usageCoreNanoSeconds: { value: usedSeconds * second },
});

it('is computed from the last two updates, also for callers that do not update', () => {
  const rates = createUsageNanoCores();
  expect(rates.of('c', cpu(10n, 5n), { update: true, now: 0 })).toBeUndefined();
  expect(rates.of('c', cpu(20n, 10n), { update: true, now: 0 })).toBe(500_000_000n);
  expect(rates.of('c', cpu(30n, 30n), { update: false, now: 0 })).toBe(500_000_000n);
});

it('has no rate after the counter decreases, and ignores an update with the same timestamp', () => {
  const rates = createUsageNanoCores();
  rates.of('c', cpu(10n, 5n), { update: true, now: 0 });
  expect(rates.of('c', cpu(10n, 6n), { update: true, now: 0 })).toBeUndefined();
  expect(rates.of('c', cpu(20n, 6n), { update: true, now: 0 })).toBe(100_000_000n);
  expect(rates.of('c', cpu(30n, 1n), { update: true, now: 0 })).toBeUndefined();
  expect(rates.of('c', cpu(40n, 2n), { update: true, now: 0 })).toBe(100_000_000n);
});

it('removes a container without updates after ten minutes', () => {
  const rates = createUsageNanoCores();
  const minute = 60_000;
  rates.of('removed', cpu(10n, 5n), { update: true, now: 0 });
  rates.of('removed', cpu(20n, 6n), { update: true, now: 0 });
  rates.of('other', cpu(20n, 6n), { update: true, now: 9 * minute });
  expect(rates.of('removed', cpu(0n, 0n), { update: false, now: 9 * minute })).toBeDefined();
  rates.of('other', cpu(30n, 6n), { update: true, now: 12 * minute });
  expect(rates.of('removed', cpu(0n, 0n), { update: false, now: 12 * minute })).toBeUndefined();
});
