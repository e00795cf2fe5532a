import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { boundedImageCalls } from './bounded-image-calls.js';

const limits = { requestTimeoutMs: 120_000, pullTimeoutMs: 3_600_000 };
const image = { image: 'app:1' };

it.each([
  ['imageStatus', 120_000],
  ['listImages', 120_000],
  ['pullImage', 3_600_000],
] as const)('%s fails when it hangs for %i ms, and not before', async (method, limit) => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock });
  memory.fault({ method, hang: true });
  const calls = boundedImageCalls(memory.image, clock, limits);
  let failed: unknown;
  const call = calls[method]({ image }).catch((error: unknown) => {
    failed = error;
  });
  await clock.advance(limit - 1);
  expect(failed).toBeUndefined();
  await clock.advance(1);
  await call;
  expect(failed).toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED', retryable: true });
  expect(clock.pending).toBe(0);
});

it('also ends a call of a service that ignores deadline and signal', async () => {
  const clock = createVirtualClock();
  const never = () => new Promise<never>(() => {});
  const calls = boundedImageCalls({ imageStatus: never, listImages: never, pullImage: never }, clock, limits);
  const controller = new AbortController();
  const call = calls.pullImage({ image }, { signal: controller.signal });
  controller.abort(new Error('no longer wanted'));
  await expect(call).rejects.toThrow('no longer wanted');
  await expect(calls.pullImage({ image }, { signal: controller.signal })).rejects.toThrow('no longer wanted');
  expect(clock.pending).toBe(0);
});

it('returns responses and errors unchanged', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock });
  const calls = boundedImageCalls(memory.image, clock, limits);
  expect((await calls.pullImage({ image })).imageRef).not.toBe('');
  expect((await calls.imageStatus({ image })).image?.repoTags).toEqual(['docker.io/library/app:1']);
  expect((await calls.listImages({})).images).toHaveLength(1);
  memory.fault({ method: 'pullImage', error: 'unauthorized' });
  await expect(calls.pullImage({ image })).rejects.toThrow('unauthorized');
  expect(clock.pending).toBe(0);
});
