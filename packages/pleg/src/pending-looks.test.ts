import { expect, it } from 'vitest';
import { createPendingLooks } from './pending-looks.js';

const idle = () => false;

it('keeps one look a pod, with the furthest that each container is said to have come', () => {
  const looks = createPendingLooks(10);
  looks.tell('a', 'c', 2, 5);
  looks.tell('a', 'c', 1, 3);
  looks.tell('a', 'd', 0, 9);
  expect(looks.size).toBe(1);
  expect(looks.take(2, idle)).toBeUndefined();
  expect(looks.take(3, idle)).toEqual({
    podUid: 'a',
    due: 3,
    asked: false,
    told: new Map([
      ['c', 2],
      ['d', 0],
    ]),
  });
  expect(looks.size).toBe(0);
});

it('passes over pods that are busy or not due', () => {
  const looks = createPendingLooks(10);
  looks.ask('late', 50);
  looks.ask('busy', 0);
  looks.ask('a', 1);
  const busy = (uid: string) => uid === 'busy';
  expect(looks.nextDue(busy)).toBe(1);
  expect(looks.take(1, busy)?.podUid).toBe('a');
  expect(looks.take(1, busy)).toBeUndefined();
  expect(looks.nextDue(busy)).toBe(50);
  expect(looks.nextDue(idle)).toBe(0);
});

it('refuses pods beyond its capacity, and remembers only so many containers of one', () => {
  const looks = createPendingLooks(1);
  for (let i = 0; i < 1_000; i++) expect(looks.tell('a', `c${i}`, 1, 0)).toBe(true);
  expect(looks.tell('b', 'c', 1, 0)).toBe(false);
  expect(looks.ask('b', 0)).toBe(false);
  const [look] = looks.takeAll();
  expect(look?.told.size).toBe(64);
  expect(look?.asked).toBe(true);
  expect(looks.nextDue(idle)).toBe(Number.POSITIVE_INFINITY);
});

it('brings back what came to nothing beside what was told since', () => {
  const looks = createPendingLooks(10);
  looks.tell('a', 'c', 2, 0);
  const look = looks.take(0, idle);
  looks.tell('a', 'd', 1, 7);
  if (look) looks.putBack(look, 1_000);
  expect(looks.take(7, idle)).toMatchObject({
    asked: true,
    told: new Map([
      ['d', 1],
      ['c', 2],
    ]),
  });
});
