import assert from 'node:assert/strict';
import type { PodAdmitAttributes } from '@nodeagent/api';
import { deferred, follow, settle } from '../support/waiting.js';
import { allocationCase, cpuOf, sizedPod } from './subject.js';

const web = sizedPod('web', '200m');
const bigger = sizedPod('web', '400m', 2);

/** Admission of pods, and their allocations. */
export const admissionCases = [
  allocationCase('addPod grants a pod what its spec requests', async ({ manager, add }) => {
    assert.deepEqual(await add(web), { admit: true });
    assert.deepEqual(manager.updatePodFromAllocation(web), web);
    assert.equal(cpuOf(manager.updatePodFromAllocation(bigger)), '200m');
  }),

  allocationCase('updatePodFromAllocation takes only resources from the grant, and changes nothing', async ({ manager, add }) => {
    await add(web);
    const changed = { ...bigger, metadata: { ...bigger.metadata, labels: { version: '2' } } };
    const before = structuredClone(changed);
    const granted = manager.updatePodFromAllocation(changed);
    assert.deepEqual(changed, before);
    assert.deepEqual(granted.metadata, changed.metadata);
    assert.equal(cpuOf(granted), '200m');
  }),

  allocationCase('a pod without a grant is returned unchanged', async ({ manager }) => {
    assert.deepEqual(manager.updatePodFromAllocation(web), web);
    assert.equal(manager.isResizeUndecided(web), false);
  }),

  allocationCase('addPod of a pod with a grant admits and keeps the grant', async ({ manager, add, handlers }) => {
    await add(web);
    const asked: (string | undefined)[] = [];
    handlers.push({
      admit({ pod }) {
        asked.push(cpuOf(pod));
        return { admit: true };
      },
    });
    await add(bigger);
    assert.deepEqual(asked, ['200m']);
    assert.equal(cpuOf(manager.updatePodFromAllocation(bigger)), '200m');
  }),

  allocationCase('admit handlers are called in order, until the first one refuses', async ({ manager, add, handlers }) => {
    const asked: number[] = [];
    for (const index of [0, 1, 2]) {
      handlers.push({
        admit() {
          asked.push(index);
          return index === 1 ? { admit: false, reason: 'OutOfcpu', message: 'no room' } : { admit: true };
        },
      });
    }
    assert.deepEqual(await add(web), { admit: false, reason: 'OutOfcpu', message: 'no room' });
    assert.deepEqual(asked, [0, 1]);
    assert.equal(cpuOf(manager.updatePodFromAllocation(bigger)), '400m', 'nothing was granted');
  }),

  allocationCase('a handler that fails refuses with UnexpectedAdmissionError', async ({ add, handlers }) => {
    handlers.push({
      admit() {
        throw new Error('broken');
      },
    });
    const result = await add(web);
    assert.equal(result.admit, false);
    assert.equal('reason' in result && result.reason, 'UnexpectedAdmissionError');
  }),

  allocationCase('handlers get the other pods with what these were granted', async ({ add, push, handlers }) => {
    await add(web);
    push(bigger);
    const asked: PodAdmitAttributes[] = [];
    handlers.push({
      admit(attributes) {
        asked.push(attributes);
        return { admit: true };
      },
    });
    await add(sizedPod('db', '100m'));
    assert.deepEqual(
      asked.map(({ pod, operation }) => [pod.metadata?.name, operation]),
      [['db', 'add']],
    );
    assert.deepEqual(
      asked[0]?.otherPods.map((pod) => [pod.metadata?.name, cpuOf(pod)]),
      [['web', '200m']],
    );
  }),

  allocationCase('pods are admitted one at a time, in the order of the calls', async ({ manager, handlers, advance }) => {
    const turns = ['web', 'db'].map(() => deferred());
    const asked: (string | undefined)[] = [];
    handlers.push({
      async admit({ pod }) {
        await turns[asked.push(pod.metadata?.name) - 1]?.promise;
        return { admit: true };
      },
    });
    const added = [web, sizedPod('db', '100m')].map((pod) => follow(manager.addPod(pod)));
    await settle();
    assert.deepEqual(asked, ['web']);
    turns[0]?.resolve();
    await advance(10);
    assert.deepEqual(asked, ['web', 'db']);
    assert.deepEqual(
      added.map(({ settled }) => settled),
      [true, false],
    );
    turns[1]?.resolve();
    await advance(10);
    assert.deepEqual(added[1]?.value, { admit: true });
  }),

  allocationCase('removePod and removeOrphanedPods delete grants', async ({ manager, add }) => {
    for (const name of ['web', 'db', 'job']) await add(sizedPod(name, '100m'));
    for (let i = 0; i < 2; i++) {
      manager.removePod('uid-web');
      manager.removeOrphanedPods(new Set(['uid-db', 'uid-web']));
    }
    const granted = ['web', 'db', 'job'].map((name) => cpuOf(manager.updatePodFromAllocation(sizedPod(name, '300m', 2))));
    assert.deepEqual(granted, ['300m', '100m', '300m']);
  }),

  allocationCase('a stopped manager admits no pod, and start and stop may be called again', async ({ manager, settled, add }) => {
    for (let i = 0; i < 2; i++) await settled(manager.start());
    for (let i = 0; i < 2; i++) await settled(manager.stop());
    await assert.rejects(add(web));
    await settled(manager.retryPendingResizes('periodic_retry'));
  }),

  allocationCase(
    'grants are saved: a new manager restores them at its start',
    async ({ manager, create, add, settled }) => {
      await add(web);
      await settled(manager.stop());
      const next = create();
      await settled(next.start());
      assert.equal(cpuOf(next.updatePodFromAllocation(bigger)), '200m');
      await settled(next.stop());
    },
    'checkpoint',
  ),
];
