import { expect, it } from 'vitest';
import { createCheckpointSaver } from './checkpoint-saver.js';

it('saves one state at a time, and of several changes only the newest', async () => {
  const saved: number[] = [];
  let state = 0;
  let release = () => {};
  const file = {
    save: async (value: number) => {
      saved.push(value);
      if (value === 1) await new Promise<void>((resolve) => (release = resolve));
    },
  };
  const saver = createCheckpointSaver(
    file,
    () => state,
    () => {},
  );
  await saver.saved();
  state = 1;
  saver.save();
  await Promise.resolve();
  await Promise.resolve();
  for (state = 2; state < 5; state++) saver.save();
  release();
  await saver.saved();
  expect(saved).toEqual([1, 5]);
});

it('reports a failed save and saves the next change', async () => {
  const errors: unknown[] = [];
  let isFull = true;
  const saver = createCheckpointSaver(
    { save: async () => (isFull ? Promise.reject('disk full') : undefined) },
    () => 1,
    (error) => errors.push(error),
  );
  saver.save();
  await saver.saved();
  expect(errors).toEqual(['disk full']);
  isFull = false;
  saver.save();
  await saver.saved();
  expect(errors).toEqual(['disk full']);
});
