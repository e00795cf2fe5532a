import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createSteadyFiles } from './steady-files.js';

it('recalls what files took for a minute, as long as somebody asks for them', async () => {
  const clock = createVirtualClock();
  const files = createSteadyFiles(clock.monotonic);
  const usage = { bytes: 4096n, inodes: 1n };
  files.remember('/hosts', usage);
  expect(files.recall('/hosts')).toBeUndefined();
  files.endPass();
  await clock.advance(59_999);
  expect(files.recall('/hosts')).toBe(usage);
  files.endPass();
  await clock.advance(1);
  expect(files.recall('/hosts')).toBeUndefined();
  files.remember('/hosts', usage);
  files.endPass();
  files.endPass();
  expect(files.recall('/hosts')).toBeUndefined();
});
