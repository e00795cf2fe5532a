import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createNestedPendingOperations } from './nested-pending-operations.js';

const key = (podUid = '', volumeName = 'v') => ({ volumeName, podUid, nodeName: '' });

describe('pending operations', () => {
  it('run one at a time on a volume, or on a volume of a pod', () => {
    const operations = createNestedPendingOperations({ clock: createVirtualClock() });
    const first = operations.begin(key('p1'), 'volume_unmount');
    const second = operations.begin(key('p2'), 'volume_unmount');
    expect(() => operations.begin(key(), 'volume_mount')).toThrow(
      'Failed to create operation with name {volumeName:v podName: nodeName:}. An operation with that name is already executing.',
    );
    expect([operations.isPending(key('p1')), operations.isPending(key('p3')), operations.isPending(key('', 'other'))]).toEqual([
      true,
      false,
      false,
    ]);
    first.finish();
    second.finish();
    expect([operations.isPending(key()), operations.isSafeToRetry(key(), 'volume_mount')]).toEqual([false, true]);
  });

  it('double the back-off of a failed operation, unless one of another name follows it', async () => {
    const clock = createVirtualClock({ start: Date.UTC(2026, 0, 1) });
    const operations = createNestedPendingOperations({ clock });
    operations.begin(key(), 'volume_mount').finish(new Error('boom'));
    await clock.advance(500);
    expect(() => operations.begin(key(), 'volume_mount')).toThrow(
      'Failed to create operation with name "{volumeName:v podName: nodeName:}". An operation with that name failed at 2026-01-01T00:00:00Z. ' +
        'No retries permitted until 2026-01-01T00:00:00Z (500ms). Last error: "boom".',
    );
    await clock.advance(1);
    expect(operations.begin(key(), 'volume_mount').finish(new Error('boom'))?.durationMs).toBe(1000);
    expect(operations.isSafeToRetry(key(), 'volume_mount')).toBe(false);
    expect(operations.begin(key(), 'volume_unmount').finish(new Error('boom'))?.durationMs).toBe(500);
  });

  it('run an operation without a volume independently of the others', () => {
    const operations = createNestedPendingOperations({ clock: createVirtualClock() });
    operations.begin(key('', ''), 'a');
    operations.begin(key('', ''), 'a').finish();
    expect(operations.isPending(key('', ''))).toBe(false);
  });
});
