import { expect, it } from 'vitest';
import { createRunLoop } from './run-loop.js';

/** Work that notes when it begins and ends, and ends when `finish` is called after its signal aborted. */
function recordedWork() {
  const log: string[] = [];
  const finish: (() => void)[] = [];
  const loop = createRunLoop(async (signal) => {
    log.push('begin');
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => finish.push(resolve)));
    log.push(`end: ${signal.reason instanceof Error ? signal.reason.message : signal.reason}`);
  });
  return { log, loop, finish };
}

it('starts once, and stops when the work has ended', async () => {
  const { log, loop, finish } = recordedWork();
  void loop.start();
  void loop.start();
  expect(log).toEqual(['begin']);
  const stopped = loop.stop().then(() => log.push('stopped'));
  expect(loop.isRunning).toBe(true);
  finish[0]?.();
  await stopped;
  expect(log).toEqual(['begin', 'end: This operation was aborted', 'stopped']);
  expect(loop.isRunning).toBe(false);
  await loop.stop();
});

it('restarts only after the previous run has ended', async () => {
  const { log, loop, finish } = recordedWork();
  void loop.start();
  const stopped = loop.stop();
  void loop.start();
  expect(log).toEqual(['begin']);
  finish[0]?.();
  await stopped;
  await Promise.resolve();
  expect(log).toEqual(['begin', 'end: This operation was aborted', 'begin']);
  expect(loop.isRunning).toBe(true);
});

it('stops with the reason of the signal of start, and does not start with an aborted signal', async () => {
  const { log, loop, finish } = recordedWork();
  const controller = new AbortController();
  void loop.start(controller.signal);
  controller.abort(new Error('enough'));
  finish[0]?.();
  await loop.stop();
  expect(log).toEqual(['begin', 'end: enough']);
  await loop.start(controller.signal);
  expect(log).toHaveLength(2);
});
