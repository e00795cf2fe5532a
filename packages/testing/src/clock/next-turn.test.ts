import { expect, it } from 'vitest';
import { nextTurn } from './next-turn.js';

it('waits for promise reactions of any depth, also for those of waiters before', async () => {
  const log: string[] = [];
  const deep = async (name: string) => {
    for (let count = 0; count < 500; count++) await undefined;
    log.push(name);
  };
  void deep('own');
  const first = nextTurn().then(() => deep('of the first waiter'));
  const second = nextTurn().then(() => log.push('second waiter'));
  await Promise.all([first, second]);
  expect(log).toEqual(['own', 'of the first waiter', 'second waiter']);
});
