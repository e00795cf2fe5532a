import assert from 'node:assert/strict';
import type { AllocationManager } from '@nodeagent/api';
import { eventually } from '../support/waiting.js';
import { allocationCase, cpuOf, sizedPod } from './subject.js';

const web = sizedPod('web', '200m');
const bigger = sizedPod('web', '400m', 2);
const reasonOf = (manager: AllocationManager, uid = 'uid-web') => {
  const conditions = manager.resizeConditions(uid);
  assert.ok(conditions.every(({ type, status }) => type === 'PodResizePending' && status === 'True'));
  return conditions.map(({ reason }) => reason).join();
};
const waiting = (manager: AllocationManager) => manager.pendingResizes().map(({ podUid }) => podUid);

/** Resizes that are granted, deferred, infeasible or withdrawn. */
export const resizeCases = [
  allocationCase('pushPendingResize returns whether a resize is pending', async ({ manager, add, push }) => {
    assert.equal(manager.pushPendingResize(bigger), false, 'the pod has no grant');
    await add(web);
    assert.equal(push(web), false, 'the spec requests what was granted');
    assert.equal(push(bigger), true);
    assert.deepEqual(waiting(manager), ['uid-web']);
  }),

  allocationCase('a resize that fits is granted, and the pod synced', async ({ manager, add, push, retry, synced }) => {
    await add(web);
    push(bigger);
    assert.equal(manager.isResizeUndecided(bigger), true);
    await retry();
    assert.equal(cpuOf(manager.updatePodFromAllocation(bigger)), '400m');
    assert.equal(manager.isResizeUndecided(bigger), false);
    assert.deepEqual([waiting(manager), reasonOf(manager), synced], [[], '', ['uid-web']]);
  }),

  allocationCase(
    'a resize without room is Deferred, and granted once there is room',
    async ({ manager, add, push, retry, active, synced }) => {
      await add(web);
      await add(sizedPod('db', '700m'));
      push(bigger);
      await retry();
      assert.equal(cpuOf(manager.updatePodFromAllocation(bigger)), '200m');
      assert.deepEqual([reasonOf(manager), waiting(manager)], ['Deferred', ['uid-web']]);
      assert.equal(manager.pendingResizes()[0]?.reason, 'Deferred');
      assert.equal(manager.isResizeUndecided(bigger), false, 'the decision is in the condition');
      active.delete('uid-db');
      manager.removePod('uid-db');
      await retry();
      assert.equal(cpuOf(manager.updatePodFromAllocation(bigger)), '400m');
      assert.deepEqual([reasonOf(manager), waiting(manager)], ['', []]);
      assert.deepEqual(synced, ['uid-web', 'uid-web']);
    },
  ),

  allocationCase('a resize beyond the node is Infeasible, and is not pending', async ({ manager, add, push, retry, synced }) => {
    await add(web);
    const huge = sizedPod('web', '5', 2);
    push(huge);
    await retry();
    assert.equal(cpuOf(manager.updatePodFromAllocation(huge)), '200m');
    assert.deepEqual([reasonOf(manager), waiting(manager), synced], ['Infeasible', [], ['uid-web']]);
    assert.equal(manager.isResizeUndecided(huge), false);
    assert.equal(manager.isResizeUndecided(sizedPod('web', '4', 3)), true, 'of a newer generation');
  }),

  allocationCase('an admit handler can refuse a resize, temporarily or permanently', async ({ manager, add, push, retry, handlers }) => {
    await add(web);
    let reason = 'NotNow';
    handlers.push({ admit: ({ operation }) => (operation === 'add' ? { admit: true } : { admit: false, reason, message: 'refused' }) });
    push(bigger);
    await retry();
    assert.deepEqual([reasonOf(manager), waiting(manager)], ['Deferred', ['uid-web']]);
    reason = 'Infeasible';
    await retry();
    assert.deepEqual([reasonOf(manager), waiting(manager)], ['Infeasible', []]);
    assert.equal(cpuOf(manager.updatePodFromAllocation(bigger)), '200m');
  }),

  allocationCase('a resize that its owner withdraws leaves no condition', async ({ manager, add, push, retry }) => {
    await add(web);
    push(sizedPod('web', '5', 2));
    await retry();
    assert.equal(reasonOf(manager), 'Infeasible');
    assert.equal(push(sizedPod('web', '200m', 3)), true);
    await retry();
    assert.deepEqual([reasonOf(manager), waiting(manager)], ['', []]);
  }),

  allocationCase('pending resizes are retried in the order of pendingResizes', async ({ manager, add, push, retry, active, synced }) => {
    await add(sizedPod('full', '700m'));
    for (const name of ['web', 'db', 'job']) await add(sizedPod(name, '100m'));
    for (const name of ['job', 'web', 'db']) push(sizedPod(name, '200m', 2));
    await retry();
    const order = waiting(manager);
    assert.deepEqual([...order].sort(), ['uid-db', 'uid-job', 'uid-web']);
    active.delete('uid-full');
    manager.removePod('uid-full');
    synced.length = 0;
    await retry();
    assert.deepEqual(synced, order);
  }),

  allocationCase('a started manager retries pending resizes, a stopped one does not', async (session) => {
    const { manager, add, push, retry, active, advance, settled } = session;
    await add(web);
    await add(sizedPod('db', '700m'));
    push(bigger);
    await retry();
    active.delete('uid-db');
    await advance(600_000);
    assert.equal(reasonOf(manager), 'Deferred');
    await settled(manager.start());
    await eventually(advance, 'the resize is granted', () => cpuOf(manager.updatePodFromAllocation(bigger)) === '400m', 600_000);
    await settled(manager.stop());
  }),

  allocationCase('a removed pod has neither a pending resize nor a condition', async ({ manager, add, push, retry, active }) => {
    await add(sizedPod('full', '700m'));
    for (const name of ['web', 'db']) await add(sizedPod(name, '100m'));
    for (const name of ['web', 'db']) push(sizedPod(name, '400m', 2));
    await retry();
    for (const uid of ['uid-web', 'uid-db']) active.delete(uid);
    manager.removePod('uid-web');
    manager.removeOrphanedPods(new Set(['uid-full', 'uid-web']));
    assert.deepEqual([waiting(manager), reasonOf(manager), reasonOf(manager, 'uid-db')], [[], '', '']);
  }),
];
