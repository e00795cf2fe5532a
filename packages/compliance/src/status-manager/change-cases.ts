import assert from 'node:assert/strict';
import { findPodCondition } from '@nodeagent/api/helpers';
import { suitePod } from '../support/pods.js';
import { mainId, mainStatus, runningStatus, type StatusManagerSubject, statusCase } from './subject.js';

const main = ({ manager }: Pick<StatusManagerSubject, 'manager'>, uid = 'uid-web') => manager.getPodStatus(uid)?.containerStatuses?.[0];

/** Changes of parts of a status. */
export const changeCases = [
  statusCase('setContainerReadiness changes the container, Ready and ContainersReady', async ({ manager, pod }) => {
    manager.setPodStatus(pod, runningStatus());
    for (const [ready, condition] of [
      [true, 'True'],
      [false, 'False'],
    ] as const) {
      manager.setContainerReadiness('uid-web', mainId, ready);
      assert.equal(main({ manager })?.ready, ready);
      for (const type of ['Ready', 'ContainersReady'])
        assert.equal(findPodCondition(manager.getPodStatus('uid-web'), type)?.status, condition);
    }
  }),

  statusCase('setContainerStartup changes `started` and leaves the rest', async ({ manager, pod }) => {
    manager.setPodStatus(pod, runningStatus());
    const before = manager.getPodStatus('uid-web');
    manager.setContainerStartup('uid-web', mainId, true);
    assert.deepEqual(manager.getPodStatus('uid-web'), { ...before, containerStatuses: [mainStatus({ started: true })] });
  }),

  statusCase('unchanged results, and results of unknown pods and containers, are ignored', async ({ manager, pod, addPod, taken }) => {
    addPod(suitePod('new'));
    manager.setPodStatus(pod, runningStatus());
    taken();
    for (const set of [manager.setContainerReadiness, manager.setContainerStartup]) {
      for (const uid of ['uid-unknown', 'uid-new']) set.call(manager, uid, mainId, true);
      set.call(manager, 'uid-web', 'memory://unknown', true);
      set.call(manager, 'uid-web', mainId, false);
    }
    assert.deepEqual(taken(), []);
    assert.equal(manager.getPodStatus('uid-new'), undefined);
    assert.equal(manager.getPodStatus('uid-unknown'), undefined);
  }),

  statusCase('terminatePod sets all container statuses to terminated', async ({ manager, addPod }) => {
    const two = suitePod('two', { spec: { containers: ['main', 'side'].map((name) => ({ name, image: `${name}:1` })) } });
    addPod(two);
    const over = { terminated: { exitCode: 3, reason: 'Error' } };
    const statuses = [mainStatus(), mainStatus({ name: 'side', containerID: 'memory://side-0', state: over })];
    manager.setPodStatus(two, runningStatus({}, { containerStatuses: statuses }));
    manager.terminatePod(two);
    const [open, closed] = manager.getPodStatus('uid-two')?.containerStatuses ?? [];
    assert.equal(open?.state?.terminated?.exitCode, 137);
    assert.equal(open?.state?.running, undefined);
    assert.deepEqual(closed?.state, over);
  }),

  statusCase('terminatePod sets the phase Failed unless it is terminal', async ({ manager, addPod }) => {
    for (const [name, before, after] of [
      ['open', 'Running', 'Failed'],
      ['done', 'Succeeded', 'Succeeded'],
    ] as const) {
      const pod = suitePod(name);
      addPod(pod);
      manager.setPodStatus(pod, { phase: before });
      manager.terminatePod(pod);
      assert.equal(manager.getPodStatus(`uid-${name}`)?.phase, after);
    }
  }),

  statusCase('setPodReadyToStartContainers sets the condition once, also before the first status', async ({ manager, pod, taken }) => {
    for (let i = 0; i < 2; i++) manager.setPodReadyToStartContainers(pod);
    const type = 'PodReadyToStartContainers';
    assert.equal(findPodCondition(manager.getPodStatus('uid-web'), type)?.status, 'True');
    assert.equal(taken().length, 1);
    manager.setPodStatus(pod, runningStatus());
    manager.setPodReadyToStartContainers(pod);
    assert.equal(findPodCondition(manager.getPodStatus('uid-web'), type)?.status, 'True');
    assert.equal(findPodCondition(manager.getPodStatus('uid-web'), 'Ready')?.status, 'False');
  }),
];
