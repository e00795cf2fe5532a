import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createSteady } from './steady.js';

it('recalls what there was for a minute, as long as somebody asks for it', async () => {
  const clock = createVirtualClock();
  const known = createSteady<bigint>(clock.monotonic);
  known.remember('hosts', 1n);
  known.remember('logs', 2n);
  known.endPass();
  await clock.advance(59_999);
  expect(known.recall('hosts')).toBe(1n);
  known.endPass();
  expect(known.recall('logs')).toBeUndefined();
  expect(known.recall('hosts')).toBe(1n);
  await clock.advance(1);
  expect(known.recall('hosts')).toBeUndefined();
  known.remember('hosts', 3n);
  expect(known.recall('hosts')).toBe(3n);
  known.forget('hosts');
  expect(known.recall('hosts')).toBeUndefined();
});
