import { expect, it } from 'vitest';
import { createPendingInspections } from './pending-inspections.js';

const idle = () => false;

it('keeps one inspection per pod, with the latest stage of each container', () => {
  const inspections = createPendingInspections(10);
  inspections.report('a', { containerId: 'c', stage: 2 }, 5);
  inspections.report('a', { containerId: 'c', stage: 1 }, 3);
  inspections.report('a', { containerId: 'd', stage: 0 }, 9);
  expect(inspections.size).toBe(1);
  expect(inspections.take(2, idle)).toBeUndefined();
  expect(inspections.take(3, idle)).toEqual({
    podUid: 'a',
    due: 3,
    isRequested: false,
    reported: new Map([
      ['c', 2],
      ['d', 0],
    ]),
    podSandboxIds: new Map(),
    changes: new Map(),
  });
  expect(inspections.size).toBe(0);
});

it('skips pods that are busy or not due', () => {
  const inspections = createPendingInspections(10);
  inspections.request('late', 50);
  inspections.request('busy', 0);
  inspections.request('a', 1);
  const busy = (uid: string) => uid === 'busy';
  expect(inspections.nextDue(busy)).toBe(1);
  expect(inspections.take(1, busy)?.podUid).toBe('a');
  expect(inspections.take(1, busy)).toBeUndefined();
  expect(inspections.nextDue(busy)).toBe(50);
  expect(inspections.nextDue(idle)).toBe(0);
});

it('refuses pods beyond its capacity, and records a limited number of containers per pod', () => {
  const inspections = createPendingInspections(1);
  for (let i = 0; i < 1_000; i++) expect(inspections.report('a', { containerId: `c${i}`, stage: 1 }, 0)).toBe(true);
  expect(inspections.report('b', { containerId: 'c', stage: 1 }, 0)).toBe(false);
  expect(inspections.request('b', 0)).toBe(false);
  const [inspection] = inspections.takeAll();
  expect(inspection?.reported.size).toBe(64);
  expect(inspection?.isRequested).toBe(true);
  expect(inspections.nextDue(idle)).toBe(Number.POSITIVE_INFINITY);
});

it('queues a failed inspection again together with newer events', () => {
  const inspections = createPendingInspections(10);
  inspections.report('a', { containerId: 'c', stage: 2 }, 0);
  const inspection = inspections.take(0, idle);
  inspections.report('a', { containerId: 'd', stage: 1 }, 7);
  if (inspection) inspections.putBack(inspection, 1_000);
  expect(inspections.take(7, idle)).toMatchObject({
    isRequested: true,
    reported: new Map([
      ['d', 1],
      ['c', 2],
    ]),
  });
});
