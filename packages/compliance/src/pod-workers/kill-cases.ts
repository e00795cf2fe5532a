import assert from 'node:assert/strict';
import { errorCode } from '@nodeagent/api';
import { suitePod } from '../support/pods.js';
import { deferred, eventually, follow, settle } from '../support/waiting.js';
import { retryLimitMs, workersCase } from './subject.js';

const web = suitePod('web');

/** Kills of pods, and waits for them. */
export const killCases = [
  workersCase(
    'a kill passes on its grace period, and its status function to all syncs until the end',
    async ({ workers, calls, untilStep }) => {
      const podStatusFunc = <T>(status: T) => status;
      workers.updatePod({ type: 'create', pod: web });
      workers.updatePod({ type: 'kill', pod: web, killOptions: { gracePeriodOverride: 5, podStatusFunc } });
      await untilStep('terminating uid-web');
      const kill = calls.find(({ step }) => step === 'terminating');
      assert.equal(kill?.gracePeriodOverride, 5);
      assert.equal(kill?.podStatusFunc, podStatusFunc);
      await untilStep('terminated uid-web');
      assert.equal(calls.find(({ step }) => step === 'terminated')?.podStatusFunc, podStatusFunc);
    },
  ),

  workersCase("a kill uses the pod's grace period unless it overrides it", async ({ workers, calls, untilStep }) => {
    workers.updatePod({ type: 'create', pod: web });
    workers.updatePod({ type: 'kill', pod: web });
    await untilStep('terminating uid-web');
    assert.equal(calls.find(({ step }) => step === 'terminating')?.gracePeriodOverride, 30);
  }),

  workersCase('onCompleted is called once, when the containers have stopped', async ({ workers, behaviour, untilStep, advance }) => {
    let completed = 0;
    const killing = deferred<undefined>();
    behaviour.sync = ({ step }) => (step === 'terminating' ? killing.promise : Promise.resolve(undefined));
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    workers.updatePod({ type: 'kill', pod: web, killOptions: { onCompleted: () => void completed++ } });
    workers.updatePod({ type: 'sync', pod: web });
    await untilStep('terminating uid-web');
    assert.equal(completed, 0);
    killing.resolve(undefined);
    await untilStep('terminated uid-web');
    workers.updatePod({ type: 'sync', pod: web });
    await advance(50);
    assert.equal(completed, 1);
  }),

  workersCase('killPodNow resolves when the containers have stopped', async ({ workers, behaviour, untilStep, advance }) => {
    const killing = deferred<undefined>();
    behaviour.sync = ({ step }) => (step === 'terminating' ? killing.promise : Promise.resolve(undefined));
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    const kill = follow(workers.killPodNow(web, { evict: true }));
    await untilStep('terminating uid-web');
    await settle();
    assert.ok(!kill.settled);
    assert.ok(workers.shouldPodContentBeRemoved('uid-web'), 'it was evicted');
    killing.resolve(undefined);
    await eventually(advance, 'the kill resolves', () => kill.settled, 5_000);
    assert.equal(kill.error, undefined);
  }),

  workersCase('killPodNow rejects with KillPodTimeout after one and a half grace periods, at least 10 s', async (session) => {
    const { workers, behaviour, untilStep, advance, steps } = session;
    const killing = deferred<undefined>();
    behaviour.sync = ({ step }) => (step === 'terminating' ? killing.promise : Promise.resolve(undefined));
    workers.updatePod({ type: 'create', pod: web });
    const kills = [
      follow(workers.killPodNow(web, { gracePeriodOverride: 20 })),
      follow(workers.killPodNow(web, { gracePeriodOverride: 2 })),
    ];
    await settle();
    await advance(9_000);
    assert.deepEqual(
      kills.map(({ settled }) => settled),
      [false, false],
    );
    await advance(2_000);
    assert.equal(errorCode(kills[1]?.error), 'KillPodTimeout');
    await advance(18_000);
    assert.ok(!kills[0]?.settled, 'not before 30 s');
    await advance(2_000);
    assert.equal(errorCode(kills[0]?.error), 'KillPodTimeout');
    assert.ok(workers.isPodTerminationRequested('uid-web'), 'the kill continues');
    killing.resolve(undefined);
    await untilStep('terminated uid-web');
    assert.ok(steps().includes('terminating uid-web'));
  }),

  workersCase('the signal of killPodNow aborts the wait, not the kill', async ({ workers, behaviour, untilStep, advance }) => {
    const killing = deferred<undefined>();
    behaviour.sync = ({ step }) => (step === 'terminating' ? killing.promise : Promise.resolve(undefined));
    workers.updatePod({ type: 'create', pod: web });
    await untilStep('sync uid-web');
    const controller = new AbortController();
    const kill = follow(workers.killPodNow(web, { signal: controller.signal }));
    await untilStep('terminating uid-web');
    const reason = new Error('waited enough');
    controller.abort(reason);
    await eventually(advance, 'the wait ends', () => kill.settled, 5_000);
    assert.equal(kill.error, reason);
    killing.resolve(undefined);
    await untilStep('terminated uid-web');
    await advance(retryLimitMs / 100);
    assert.ok(workers.shouldPodBeFinished('uid-web'));
  }),
];
