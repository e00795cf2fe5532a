import assert from 'node:assert/strict';
import { staticPod, suitePod } from '../support/pods.js';
import { deferred, eventually, settle } from '../support/waiting.js';
import { retryLimitMs, workersCase } from './subject.js';

const [web, db] = [suitePod('web'), suitePod('db')];

/** syncKnownPods, and static pods that replace each other. */
export const knownPodsCases = [
  workersCase('an unknown pod may be running until the first syncKnownPods', async ({ workers }) => {
    const answers = () => ({
      isPodKnownTerminated: workers.isPodKnownTerminated('unknown'),
      couldHaveRunningContainers: workers.couldHaveRunningContainers('unknown'),
      shouldPodBeFinished: workers.shouldPodBeFinished('unknown'),
      isPodTerminationRequested: workers.isPodTerminationRequested('unknown'),
      shouldPodContainersBeTerminating: workers.shouldPodContainersBeTerminating('unknown'),
      shouldPodRuntimeBeRemoved: workers.shouldPodRuntimeBeRemoved('unknown'),
      shouldPodContentBeRemoved: workers.shouldPodContentBeRemoved('unknown'),
    });
    const answersIf = (known: boolean) => ({
      isPodKnownTerminated: false,
      couldHaveRunningContainers: !known,
      shouldPodBeFinished: known,
      isPodTerminationRequested: false,
      shouldPodContainersBeTerminating: known,
      shouldPodRuntimeBeRemoved: known,
      shouldPodContentBeRemoved: known,
    });
    assert.deepEqual(answers(), answersIf(false));
    assert.equal(workers.syncKnownPods([]).size, 0);
    assert.deepEqual(answers(), answersIf(true));
  }),

  workersCase('syncKnownPods terminates the pods that are not desired and keeps the others', async ({ workers, untilStep, steps }) => {
    for (const pod of [web, db]) workers.updatePod({ type: 'create', pod });
    await untilStep('sync uid-web');
    await untilStep('sync uid-db');
    await settle();
    const known = workers.syncKnownPods([db]);
    assert.deepEqual({ ...known.get('uid-web') }, { state: 'TerminatingPod', orphan: true, hasConfig: true, static: false });
    assert.deepEqual({ ...known.get('uid-db') }, { state: 'SyncPod', orphan: false, hasConfig: true, static: false });
    await untilStep('terminated uid-web');
    assert.ok(!steps().includes('terminating uid-db'));
  }),

  workersCase('syncKnownPods removes finished pods that are not desired', async ({ workers, untilStep, advance }) => {
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    workers.updatePod({ type: 'kill', pod: web });
    await untilStep('terminated uid-web');
    await eventually(advance, 'the pod finishes', () => workers.shouldPodBeFinished('uid-web'));
    assert.deepEqual([...workers.syncKnownPods([web]).keys()], ['uid-web']);
    assert.equal(workers.state('uid-web'), 'TerminatedPod');
    assert.equal(workers.syncKnownPods([]).size, 0);
    assert.equal(workers.state('uid-web'), undefined);
  }),

  workersCase(
    'a pod that is re-created while it terminates runs again after its worker is removed',
    async ({ workers, untilStep, advance }) => {
      workers.updatePod({ type: 'create', pod: web });
      await untilStep('sync uid-web');
      workers.updatePod({ type: 'kill', pod: web });
      workers.updatePod({ type: 'create', pod: web });
      await untilStep('terminated uid-web');
      await eventually(advance, 'the pod finishes', () => workers.shouldPodBeFinished('uid-web'));
      assert.equal(workers.syncKnownPods([web]).size, 0);
      workers.updatePod({ type: 'create', pod: web });
      await untilStep('sync uid-web', 2);
      assert.equal(workers.state('uid-web'), 'SyncPod');
    },
  ),

  workersCase(
    'a static pod waits until the previous one with its name has finished',
    async ({ workers, behaviour, steps, untilStep, advance }) => {
      const [first, second] = [staticPod('app', 'uid-1'), staticPod('app', 'uid-2')];
      const cleaning = deferred<undefined>();
      behaviour.sync = ({ step }) => (step === 'terminated' ? cleaning.promise : Promise.resolve(undefined));
      workers.updatePod({ type: 'create', pod: first });
      await untilStep('sync uid-1');
      workers.updatePod({ type: 'create', pod: second });
      workers.updatePod({ type: 'kill', pod: first });
      await untilStep('terminated uid-1');
      await advance(retryLimitMs);
      assert.ok(!steps().includes('sync uid-2'));
      cleaning.resolve(undefined);
      await untilStep('sync uid-2');
    },
  ),

  workersCase('the current static pod is terminating from its kill until its containers have stopped', async (session) => {
    const { workers, behaviour, untilStep } = session;
    const isTerminating = () => workers.isPodForMirrorPodTerminatingByFullName('app_compliance');
    const killing = deferred<undefined>();
    behaviour.sync = ({ step }) => (step === 'terminating' ? killing.promise : Promise.resolve(undefined));
    workers.updatePod({ type: 'create', pod: staticPod('app', 'uid-1') });
    await untilStep('sync uid-1');
    await settle();
    assert.ok(!isTerminating());
    workers.updatePod({ type: 'kill', pod: staticPod('app', 'uid-1') });
    assert.ok(isTerminating());
    await untilStep('terminating uid-1');
    assert.ok(isTerminating());
    killing.resolve(undefined);
    await untilStep('terminated uid-1');
    assert.ok(!isTerminating());
  }),
];
