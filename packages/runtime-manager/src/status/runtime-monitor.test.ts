import { NodeAgentError, type RuntimeHealth } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createRuntimeMonitor } from './runtime-monitor.js';

const healthy: RuntimeHealth = { runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' };

function setUp() {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const reported: string[][] = [];
  let pleg: string | undefined;
  let versions = 0;
  let answer: () => Promise<RuntimeHealth> = async () => healthy;
  const monitor = createRuntimeMonitor({
    runtime: {
      checkRuntime: async () => {
        await answer();
        versions++;
      },
      status: () => answer(),
    },
    plegError: () => pleg,
    clock,
    logger,
    runtimeStatusPeriodMs: 5_000,
    runtimeStatusThresholdMs: 30_000,
    onChange: (errors) => reported.push(errors),
  });
  return {
    clock,
    logger,
    monitor,
    reported,
    versions: () => versions,
    setPleg: (error: string | undefined) => {
      pleg = error;
    },
    answer: (next: () => Promise<RuntimeHealth>) => {
      answer = next;
    },
  };
}

it('reports an unknown status before the first response, then no errors', async () => {
  const { clock, monitor, reported, versions } = setUp();
  expect(monitor.runtimeErrors()).toEqual(['container runtime status check may not have completed yet']);
  expect(monitor.networkError()).toBe('container runtime network status is unknown');
  monitor.start();
  monitor.start();
  await clock.advance(60_000);
  expect([monitor.runtimeErrors(), monitor.networkError(), reported, versions()]).toEqual([[], undefined, [[]], 1]);
  monitor.stop();
  expect(clock.pending).toBe(0);
});

it('reports a runtime as failing after 30 s without a response, once', async () => {
  const { clock, monitor, reported, answer, logger } = setUp();
  monitor.start();
  await clock.advance(10_000);
  answer(async () => {
    throw new NodeAgentError('CRI_UNAVAILABLE', 'connection refused', { hint: 'start it' });
  });
  await clock.advance(25_000);
  expect(monitor.runtimeErrors()).toEqual([]);
  await clock.advance(120_000);
  expect(reported).toEqual([[], ['connection refused (start it)']]);
  expect(logger.texts('warn')).toEqual(['container runtime status check failed: connection refused']);
  answer(async () => healthy);
  await clock.advance(5_000);
  expect(reported.at(-1)).toEqual([]);
  monitor.stop();
});

it('reports a hanging status call, and makes no second one', async () => {
  const { clock, monitor, reported, answer } = setUp();
  monitor.start();
  await clock.advance(10_000);
  let calls = 0;
  answer(() => {
    calls++;
    return new Promise(() => {});
  });
  await clock.advance(60_000);
  expect([calls, reported.at(-1)]).toEqual([1, ['container runtime is down: it does not respond']]);
  monitor.stop();
  expect(clock.pending).toBe(0);
});

it('retries every second until the first response', async () => {
  const { clock, monitor, answer } = setUp();
  let calls = 0;
  answer(async () => {
    calls++;
    throw new Error('no such file');
  });
  monitor.start();
  await clock.advance(9_500);
  expect(calls).toBe(10);
  monitor.stop();
});

it('reports the runtime and network conditions of the runtime', async () => {
  const { clock, monitor, answer } = setUp();
  answer(async () => ({ runtimeReady: false, networkReady: false, runtimeMessage: 'starting', networkMessage: 'no cni config' }));
  monitor.start();
  await clock.settle();
  expect(monitor.runtimeErrors()).toEqual(['container runtime not ready: starting']);
  expect(monitor.networkError()).toBe('container runtime network not ready: no cni config');
  monitor.stop();
});

it('includes the PLEG after 5 s, and ignores changes of its duration', async () => {
  const { clock, monitor, reported, setPleg } = setUp();
  setPleg('pleg has yet to be successful');
  monitor.start();
  await clock.advance(4_000);
  expect(monitor.runtimeErrors()).toEqual([]);
  await clock.advance(1_000);
  expect(monitor.runtimeErrors()).toEqual(['PLEG is not healthy: pleg has yet to be successful']);
  for (const age of ['3m1s', '3m6.5s', '1h0m2s']) {
    setPleg(`pleg was last seen active ${age} ago; threshold is 3m0s`);
    await clock.advance(5_000);
  }
  expect(reported).toEqual([[], ['PLEG is not healthy: pleg was last seen active 3m1s ago; threshold is 3m0s']]);
  monitor.stop();
});

it('ignores a response after it was stopped', async () => {
  const { clock, monitor, reported, answer, logger } = setUp();
  answer(async () => {
    await clock.sleep(1_000);
    throw new Error('too late');
  });
  monitor.start();
  monitor.stop();
  await clock.advance(5_000);
  expect([reported, logger.messages()]).toEqual([[], []]);
});
