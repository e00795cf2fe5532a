import type { RuntimeHealth } from '@nodeagent/api';
import { NodeAgentError } from '@nodeagent/api';
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

it('knows nothing before the first answer, then that all is well', async () => {
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

it('forgives thirty seconds without an answer, then says why, once', async () => {
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

it('says that a question hangs while it hangs, and asks no second one', async () => {
  const { clock, monitor, reported, answer } = setUp();
  monitor.start();
  await clock.advance(10_000);
  let asked = 0;
  answer(() => {
    asked++;
    return new Promise(() => {});
  });
  await clock.advance(60_000);
  expect([asked, reported.at(-1)]).toEqual([1, ['container runtime is down: it does not respond']]);
  monitor.stop();
  expect(clock.pending).toBe(0);
});

it('asks a runtime that never answered every second', async () => {
  const { clock, monitor, answer } = setUp();
  let asked = 0;
  answer(async () => {
    asked++;
    throw new Error('no such file');
  });
  monitor.start();
  await clock.advance(9_500);
  expect(asked).toBe(10);
  monitor.stop();
});

it('passes on what the runtime says of itself and its network', async () => {
  const { clock, monitor, answer } = setUp();
  answer(async () => ({ runtimeReady: false, networkReady: false, runtimeMessage: 'starting', networkMessage: 'no cni config' }));
  monitor.start();
  await clock.settle();
  expect(monitor.runtimeErrors()).toEqual(['container runtime not ready: starting']);
  expect(monitor.networkError()).toBe('container runtime network not ready: no cni config');
  monitor.stop();
});

it('counts the PLEG after the first five seconds, and not each second of it anew', async () => {
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

it('says nothing of an answer that comes after its end', async () => {
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
