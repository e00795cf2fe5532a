import { expect, it } from 'vitest';
import { createLimiter } from './limiter.js';

const never = () => new AbortController().signal;

it('starts waiting actions in order, also after failures', async () => {
  const limiter = createLimiter(2);
  let running = 0;
  let maxRunning = 0;
  const order: number[] = [];
  const job = (i: number) =>
    limiter.run(async () => {
      order.push(i);
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise(setImmediate);
      running--;
      if (i % 3 === 0) throw new Error(`${i}`);
    }, never());
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => job(i)));
  expect(maxRunning).toBe(2);
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(7);
});

it('removes an aborted action from the queue', async () => {
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
