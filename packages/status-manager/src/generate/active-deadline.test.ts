import { expect, it } from 'vitest';
import { aPod, epoch } from '../test-builders.js';
import { activeDeadlineExceeded } from './active-deadline.js';

const startTime = '2026-01-01T00:00:00Z';
const exceeded = (pod: Parameters<typeof activeDeadlineExceeded>[0], status: { startTime?: string } | undefined, seconds: number) =>
  activeDeadlineExceeded(pod, status, epoch + seconds * 1000)?.reason;

it('fails a pod at its deadline, and never without a deadline or start time', () => {
  const pod = aPod({ activeDeadlineSeconds: 10 });
  expect(exceeded(pod, { startTime }, 9.999)).toBeUndefined();
  expect(exceeded(pod, { startTime }, 10)).toBe('DeadlineExceeded');
  expect(exceeded(pod, {}, 1000)).toBeUndefined();
  expect(exceeded(aPod(), { startTime }, 1000)).toBeUndefined();
});

it('counts from the API server’s start time if there is no local one', () => {
  expect(exceeded(aPod({ activeDeadlineSeconds: 10 }, { status: { startTime } }), undefined, 10)).toBe('DeadlineExceeded');
});
