import assert from 'node:assert/strict';
import type { Pod, PodWorkers } from '@nodeagent/api';
import { suitePod } from '../support/pods.js';
import { runtimePod } from '../support/runtime-objects.js';
import { deferred, settle } from '../support/waiting.js';
import { retryLimitMs, type WorkersSession, workersCase } from './subject.js';

const web = suitePod('web');

/** Creates the pod and waits for its first sync. */
async function started({ workers, untilStep }: WorkersSession, pod: Pod = web): Promise<void> {
  workers.updatePod({ type: 'create', pod });
  await untilStep(`sync ${pod.metadata?.uid}`);
  await settle();
}

const answers = (workers: PodWorkers, uid = 'uid-web') => ({
  state: workers.state(uid),
  isPodTerminationRequested: workers.isPodTerminationRequested(uid),
  shouldPodContainersBeTerminating: workers.shouldPodContainersBeTerminating(uid),
  couldHaveRunningContainers: workers.couldHaveRunningContainers(uid),
  isPodKnownTerminated: workers.isPodKnownTerminated(uid),
  shouldPodRuntimeBeRemoved: workers.shouldPodRuntimeBeRemoved(uid),
  shouldPodBeFinished: workers.shouldPodBeFinished(uid),
});

/** Termination of pods. */
export const endCases = [
  workersCase('a killed pod terminates, is cleaned up and finishes, and the state methods follow', async (session) => {
    const { workers, behaviour, steps, untilStep } = session;
    await started(session);
    const running = {
      state: 'SyncPod',
      isPodTerminationRequested: false,
      shouldPodContainersBeTerminating: false,
      couldHaveRunningContainers: true,
      isPodKnownTerminated: false,
      shouldPodRuntimeBeRemoved: false,
      shouldPodBeFinished: false,
    };
    assert.deepEqual(answers(workers), running);

    const [killing, cleaning] = [deferred<undefined>(), deferred<undefined>()];
    behaviour.sync = ({ step }) => (step === 'terminating' ? killing : cleaning).promise;
    workers.updatePod({ type: 'kill', pod: web });
    assert.ok(workers.isPodTerminationRequested('uid-web'), 'at once');
    await untilStep('terminating uid-web');
    const terminating = { ...running, state: 'TerminatingPod', isPodTerminationRequested: true, shouldPodContainersBeTerminating: true };
    assert.deepEqual(answers(workers), terminating);

    killing.resolve(undefined);
    await untilStep('terminated uid-web');
    const terminated = {
      ...terminating,
      state: 'TerminatedPod',
      couldHaveRunningContainers: false,
      isPodKnownTerminated: true,
      shouldPodRuntimeBeRemoved: true,
    };
    assert.deepEqual(answers(workers), terminated);

    cleaning.resolve(undefined);
    await settle();
    assert.deepEqual(answers(workers), { ...terminated, shouldPodBeFinished: true });
    assert.deepEqual(steps(), ['sync uid-web', 'terminating uid-web', 'terminated uid-web']);
  }),

  workersCase('a pod whose sync reports a terminal phase is terminated', async ({ workers, behaviour, untilStep, steps }) => {
    behaviour.sync = async ({ step }) => (step === 'sync' ? { terminal: true } : undefined);
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('terminated uid-web');
    assert.deepEqual(steps(), ['sync uid-web', 'terminating uid-web', 'terminated uid-web']);
  }),

  workersCase('an update with a deletion timestamp or a terminal phase terminates the pod', async (session) => {
    const { workers, untilStep } = session;
    await started(session);
    workers.updatePod({ type: 'update', pod: suitePod('web', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }) });
    assert.ok(workers.isPodTerminationRequested('uid-web'));
    await untilStep('terminated uid-web');
    assert.ok(workers.shouldPodContentBeRemoved('uid-web'), 'it was deleted');

    for (const phase of ['Succeeded', 'Failed']) {
      const pod = suitePod(phase);
      await started(session, pod);
      workers.updatePod({ type: 'update', pod: { ...pod, status: { phase } } });
      assert.ok(workers.isPodTerminationRequested(`uid-${phase}`));
      await untilStep(`terminated uid-${phase}`);
    }
  }),

  workersCase('a kill cancels the running sync', async (session) => {
    const { workers, behaviour, calls, untilStep } = session;
    behaviour.sync = ({ step, signal }) =>
      step === 'sync'
        ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
        : Promise.resolve(undefined);
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    workers.updatePod({ type: 'kill', pod: web });
    await untilStep('terminating uid-web');
    assert.equal(calls[0]?.signal?.aborted, true);
  }),

  workersCase('a terminating pod never runs again, regardless of updates', async (session) => {
    const { workers, behaviour, steps, untilStep, advance } = session;
    await started(session);
    const killing = deferred<undefined>();
    behaviour.sync = () => killing.promise;
    workers.updatePod({ type: 'kill', pod: web });
    await untilStep('terminating uid-web');
    for (const type of ['update', 'sync', 'create'] as const) workers.updatePod({ type, pod: web });
    killing.resolve(undefined);
    await untilStep('terminated uid-web');
    for (const type of ['update', 'sync', 'create'] as const) workers.updatePod({ type, pod: web });
    await advance(retryLimitMs);
    assert.equal(steps().filter((step) => step === 'sync uid-web').length, 1);
    assert.equal(workers.state('uid-web'), 'TerminatedPod');
  }),

  workersCase('a failed termination is retried before the pod is cleaned up', async (session) => {
    const { workers, behaviour, steps, untilStep } = session;
    await started(session);
    let fails = 2;
    behaviour.sync = async ({ step }) => {
      if (step === 'terminating' && fails-- > 0) throw new Error('still running');
      return undefined;
    };
    workers.updatePod({ type: 'kill', pod: web });
    await untilStep('terminated uid-web');
    assert.deepEqual(steps(), ['sync uid-web', ...Array(3).fill('terminating uid-web'), 'terminated uid-web']);
  }),

  workersCase('a runtime-only pod can only be killed', async ({ workers, calls, untilStep, advance }) => {
    const runningPod = runtimePod('uid-lost', { main: 'running' });
    for (const type of ['create', 'update', 'sync'] as const) workers.updatePod({ type, runningPod });
    await advance(50);
    assert.equal(calls.length, 0);
    assert.equal(workers.state('uid-lost'), undefined);
    workers.updatePod({ type: 'kill', runningPod });
    await untilStep('runtime uid-lost');
    assert.deepEqual(calls[0]?.running, runningPod);
  }),
];
