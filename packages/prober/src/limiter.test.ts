import { expect, it } from 'vitest';
import { createLimiter } from './limiter.js';

const never = () => new AbortController().signal;

it('lets the others wait in order, however each ends', async () => {
  const limiter = createLimiter(2);
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const job = (i: number) =>
    limiter.run(async () => {
      order.push(i);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      if (i % 3 === 0) throw new Error(`${i}`);
    }, never());
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => job(i)));
  expect(most).toBe(2);
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7);
});

it('forgets who no longer waits', async () => {
  const limiter = createLimiter(1);
  let end = () => {};
  const first = limiter.run(() => new Promise<void>((resolve) => (end = resolve)), never());
  const controller = new AbortController();
  const second = limiter.run(async () => 'second', controller.signal);
  const third = limiter.run(async () => 'third', never());
  controller.abort(new Error('enough'));
  await expect(second).rejects.toThrow('enough');
  end();
  await first;
  expect(await third).toBe('third');
});
