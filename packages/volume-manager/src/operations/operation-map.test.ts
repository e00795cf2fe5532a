import { expect, it } from 'vitest';
import { failedOperationText } from './operation-errors.js';
import { createOperationMap } from './operation-map.js';

function setUp(backOffOnError?: boolean) {
  const time = { ms: 0 };
  const clock = { now: () => Date.UTC(2026, 0, 1) + time.ms, monotonic: () => time.ms };
  return { time, operations: createOperationMap({ clock, ...(backOffOnError !== undefined && { backOffOnError }) }) };
}

it('runs one operation per name at a time', () => {
  const { operations } = setUp();
  const running = operations.begin('a');
  expect(() => operations.begin('a')).toThrow(
    'Failed to create operation with name "a". An operation with that name is already executing.',
  );
  expect([operations.isPending('a'), operations.isPending('b')]).toEqual([true, false]);
  expect(running.finish()).toBeUndefined();
  operations.begin('a');
});

it('rejects a failed operation during a back-off that doubles until it succeeds', () => {
  const { operations, time } = setUp();
  const failed = operations.begin('a').finish(new Error('boom'));
  expect(failed && failedOperationText('a', failed, Date.UTC(2026, 0, 1))).toBe(
    'Operation for "a" failed. No retries permitted until 2026-01-01T00:00:00Z (durationBeforeRetry 500ms). Error: boom',
  );
  time.ms = 500;
  expect(() => operations.begin('a')).toThrow(
    expect.objectContaining({ code: 'OperationBackOff', details: { durationMs: 500, retryAt: 501 } }),
  );
  time.ms = 501;
  expect(operations.begin('a').finish(new Error('boom'))?.durationMs).toBe(1000);
  time.ms = 10_000;
  operations.begin('a').finish();
  expect(operations.begin('a').finish(new Error('boom'))?.durationMs).toBe(500);
});

it('allows an immediate retry without back-off', () => {
  const { operations } = setUp(false);
  expect(operations.begin('a').finish(new Error('boom'))).toBeUndefined();
  operations.begin('a');
});
