import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTtlCache } from './ttl-cache.js';

it('keeps an entry for a minute, if each pass reads it', async () => {
  const clock = createVirtualClock();
  const cache = createTtlCache<bigint>(clock.monotonic);
  cache.set('hosts', 1n);
  cache.set('logs', 2n);
  cache.endPass();
  await clock.advance(59_999);
  expect(cache.get('hosts')).toBe(1n);
  cache.endPass();
  expect(cache.get('logs')).toBeUndefined();
  expect(cache.get('hosts')).toBe(1n);
  await clock.advance(1);
  expect(cache.get('hosts')).toBeUndefined();
  cache.set('hosts', 3n);
  expect(cache.get('hosts')).toBe(3n);
  cache.delete('hosts');
  expect(cache.get('hosts')).toBeUndefined();
});
