import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { Call, type CallContext } from './call.js';

it('leaves its client when it has ended, so that a client keeps no ended calls', () => {
  const clock = createVirtualClock();
  const refuse = () => {
    throw new Error('connect ENOENT');
  };
  const context: CallContext = { channel: { session: refuse, destroy() {} }, clock, maxReceiveMessageBytes: 1000, running: new Set() };
  const { signal } = new AbortController();
  const ends: unknown[] = [];
  new Call(
    context,
    { headerBlock: Buffer.alloc(0), body: Buffer.alloc(0), timeoutMs: 1000, signal },
    { message() {}, hasUnread: () => false, end: (error) => ends.push(error) },
  );
  expect(ends).toMatchObject([{ message: expect.stringContaining('connect ENOENT') }]);
  expect(context.running.size).toBe(0);
  expect(clock.pending).toBe(0);
});
