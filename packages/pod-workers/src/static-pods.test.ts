import { expect, it } from 'vitest';
import { canStartStaticPod } from './static-pods.js';

const nobody = () => false;

it('lets one pod of a name run at a time, in the order of arrival', () => {
  const first = canStartStaticPod({ waiting: ['a', 'b', 'c'] }, 'a', nobody);
  expect(first).toEqual({ canStart: true, queue: { started: 'a', waiting: ['b', 'c'] } });
  expect(canStartStaticPod(first.queue, 'b', nobody).canStart).toBe(false);
  expect(canStartStaticPod(first.queue, 'a', nobody).canStart).toBe(true);
  expect(canStartStaticPod({ waiting: ['b', 'c'] }, 'c', nobody)).toEqual({ canStart: false, queue: { waiting: ['b', 'c'] } });
});

it('passes over those that are leaving', () => {
  const leaving = (uid: string) => uid !== 'c';
  expect(canStartStaticPod({ waiting: ['a', 'b', 'c', 'd'] }, 'c', leaving)).toEqual({
    canStart: true,
    queue: { started: 'c', waiting: ['d'] },
  });
  expect(canStartStaticPod({ waiting: ['a', 'c'] }, 'd', leaving)).toEqual({ canStart: false, queue: { waiting: ['c'] } });
});

it('starts one that nobody queued', () => {
  expect(canStartStaticPod({ waiting: [] }, 'a', nobody)).toEqual({ canStart: true, queue: { started: 'a', waiting: [] } });
});
