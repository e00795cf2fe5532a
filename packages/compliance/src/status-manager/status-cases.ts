import assert from 'node:assert/strict';
import { findPodCondition } from '@nodeagent/api/helpers';
import { mirrorPodOf, staticPod, suitePod } from '../support/pods.js';
import { mainStatus, runningStatus, statusCase } from './subject.js';

/** Statuses that are set, kept, refused and removed. */
export const statusCases = [
  statusCase('getPodStatus returns undefined for a pod without a status', async ({ manager, pod }) => {
    assert.equal(manager.getPodStatus('uid-unknown'), undefined);
    assert.equal(manager.getPodStatus(pod.metadata?.uid ?? ''), undefined);
  }),

  statusCase('getPodStatus returns the last accepted status', async ({ manager, pod, addPod }) => {
    const db = suitePod('db');
    addPod(db);
    manager.setPodStatus(pod, { phase: 'Pending' });
    manager.setPodStatus(db, { phase: 'Pending' });
    manager.setPodStatus(pod, runningStatus());
    assert.equal(manager.getPodStatus('uid-web')?.phase, 'Running');
    assert.equal(manager.getPodStatus('uid-web')?.containerStatuses?.[0]?.containerID, mainStatus().containerID);
    assert.equal(manager.getPodStatus('uid-db')?.phase, 'Pending');
  }),

  statusCase('getPodStatus maps the uid of a mirror pod to its static pod', async ({ manager, addPod }) => {
    const pod = staticPod('static');
    addPod(pod, mirrorPodOf(pod));
    manager.setPodStatus(pod, runningStatus());
    assert.equal(manager.getPodStatus('mirror-uid-static')?.phase, 'Running');
    assert.equal(manager.getPodStatus('uid-static')?.phase, 'Running');
  }),

  statusCase('setPodStatus modifies neither the pod nor the status', async ({ manager, pod }) => {
    const status = runningStatus();
    const before = structuredClone({ pod, status });
    manager.setPodStatus(pod, status);
    assert.deepEqual({ pod, status }, before);
  }),

  statusCase('a returned status does not change', async ({ manager, pod }) => {
    manager.setPodStatus(pod, runningStatus());
    const handedOut = manager.getPodStatus('uid-web');
    const before = structuredClone(handedOut);
    manager.setContainerReadiness('uid-web', mainStatus().containerID ?? '', true);
    manager.setPodStatus(pod, runningStatus({ restartCount: 1 }));
    manager.terminatePod(pod);
    assert.notDeepEqual(manager.getPodStatus('uid-web'), before);
    assert.deepEqual(handedOut, before);
  }),

  statusCase('setPodStatus ignores an unchanged status', async ({ manager, pod, advance, taken }) => {
    manager.setPodStatus(pod, runningStatus());
    const accepted = manager.getPodStatus('uid-web');
    await advance(2_000);
    manager.setPodStatus(pod, runningStatus());
    assert.deepEqual(taken(), ['uid-web Running']);
    assert.deepEqual(manager.getPodStatus('uid-web'), accepted);
  }),

  statusCase('the start time is that of the first status', async ({ manager, pod, advance }) => {
    manager.setPodStatus(pod, { phase: 'Pending' });
    const startTime = manager.getPodStatus('uid-web')?.startTime;
    assert.ok(typeof startTime === 'string' && !Number.isNaN(Date.parse(startTime)), `start time ${startTime}`);
    await advance(2_000);
    manager.setPodStatus(pod, runningStatus());
    assert.equal(manager.getPodStatus('uid-web')?.startTime, startTime);
  }),

  statusCase('a condition keeps its transition time until its status changes', async ({ manager, pod, advance }) => {
    const transition = (type: string) => findPodCondition(manager.getPodStatus('uid-web'), type)?.lastTransitionTime;
    manager.setPodStatus(pod, runningStatus());
    const first = transition('Ready');
    assert.ok(typeof first === 'string' && !Number.isNaN(Date.parse(first)), `transition time ${first}`);
    await advance(2_000);
    manager.setPodStatus(pod, runningStatus({ restartCount: 1 }));
    assert.equal(transition('Ready'), first);
    manager.setPodStatus(pod, runningStatus({ restartCount: 1, ready: true }));
    assert.ok(Date.parse(transition('Ready') ?? '') > Date.parse(first), 'a later transition time');
  }),

  statusCase('setPodStatus refuses a running status of a terminated container that never restarts', async ({ manager, addPod, taken }) => {
    const pod = suitePod('job', { spec: { restartPolicy: 'Never' } });
    addPod(pod);
    manager.setPodStatus(pod, runningStatus({ state: { terminated: { exitCode: 1, reason: 'Error' } } }));
    taken();
    manager.setPodStatus(pod, runningStatus({ restartCount: 1 }));
    assert.deepEqual(taken(), []);
    assert.ok(manager.getPodStatus('uid-job')?.containerStatuses?.[0]?.state?.terminated, 'the container stays terminated');
  }),

  statusCase('removeOrphanedStatuses removes the statuses of pods that are not in the set', async ({ manager, pod, addPod, taken }) => {
    const db = suitePod('db');
    addPod(db);
    for (const each of [pod, db]) manager.setPodStatus(each, runningStatus());
    taken();
    for (let i = 0; i < 2; i++) manager.removeOrphanedStatuses(new Set(['uid-db', 'uid-unknown']));
    assert.equal(manager.getPodStatus('uid-web'), undefined);
    assert.equal(manager.getPodStatus('uid-db')?.phase, 'Running');
    assert.deepEqual(taken(), ['uid-web dropped']);
  }),

  statusCase('onStatus calls back for each accepted status in order, after it is stored', async ({ manager, pod }) => {
    const seen: [phase: string | undefined, stored: boolean][] = [];
    manager.onStatus((uid, status) => seen.push([status?.phase, manager.getPodStatus(uid) === status]));
    for (const phase of ['Pending', 'Running', 'Running', 'Succeeded']) manager.setPodStatus(pod, { phase });
    manager.removeOrphanedStatuses(new Set());
    assert.deepEqual(
      seen,
      ['Pending', 'Running', 'Succeeded', undefined].map((phase) => [phase, true]),
    );
  }),

  statusCase('a listener can be removed, and one that throws does not affect others', async ({ manager, pod }) => {
    const seen: string[] = [];
    manager.onStatus(() => {
      throw new Error('a broken listener');
    });
    const end = manager.onStatus((_, status) => seen.push(`first ${status?.phase}`));
    manager.onStatus((_, status) => seen.push(`second ${status?.phase}`));
    manager.setPodStatus(pod, { phase: 'Pending' });
    for (let i = 0; i < 2; i++) end();
    manager.setPodStatus(pod, { phase: 'Running' });
    assert.deepEqual(seen, ['first Pending', 'second Pending', 'second Running']);
  }),

  statusCase('start and stop are idempotent, and statuses are kept', async ({ manager, pod }) => {
    for (let i = 0; i < 2; i++) await manager.start();
    manager.setPodStatus(pod, runningStatus());
    for (let i = 0; i < 2; i++) await manager.stop();
    assert.equal(manager.getPodStatus('uid-web')?.phase, 'Running');
  }),
];
