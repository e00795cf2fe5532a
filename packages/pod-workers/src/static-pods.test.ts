import { expect, it } from 'vitest';
import { canStartStaticPod } from './static-pods.js';

const noneTerminating = () => false;

it('starts one static pod of a name at a time, in the order of arrival', () => {
  const first = canStartStaticPod({ waiting: ['a', 'b', 'c'] }, 'a', noneTerminating);
  expect(first).toEqual({ canStart: true, queue: { started: 'a', waiting: ['b', 'c'] } });
  expect(canStartStaticPod(first.queue, 'b', noneTerminating).canStart).toBe(false);
  expect(canStartStaticPod(first.queue, 'a', noneTerminating).canStart).toBe(true);
  expect(canStartStaticPod({ waiting: ['b', 'c'] }, 'c', noneTerminating)).toEqual({ canStart: false, queue: { waiting: ['b', 'c'] } });
});

it('skips terminating pods', () => {
  const isTerminating = (uid: string) => uid !== 'c';
  expect(canStartStaticPod({ waiting: ['a', 'b', 'c', 'd'] }, 'c', isTerminating)).toEqual({
    canStart: true,
    queue: { started: 'c', waiting: ['d'] },
  });
  expect(canStartStaticPod({ waiting: ['a', 'c'] }, 'd', isTerminating)).toEqual({ canStart: false, queue: { waiting: ['c'] } });
});

it('starts a pod that is not in the queue', () => {
  expect(canStartStaticPod({ waiting: [] }, 'a', noneTerminating)).toEqual({ canStart: true, queue: { started: 'a', waiting: [] } });
});
