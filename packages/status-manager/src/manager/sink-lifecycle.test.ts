import { type Logger, type StatusSink, silentLogger } from '@nodeagent/api';
import { describe, expect, it, vi } from 'vitest';
import { aPod } from '../test-builders.js';
import { createStatusManager } from './status-manager.js';

function setUp(more: Partial<StatusSink> = {}) {
  const calls: string[] = [];
  const sink: StatusSink = {
    start: async (statuses) => {
      calls.push(`start ${[...statuses.versionedStatuses()].length}`);
    },
    statusChanged: (uid) => calls.push(`changed ${uid}`),
    stop: async () => {
      calls.push('stop');
    },
    ...more,
  };
  const error = vi.fn();
  const logger: Logger = { ...silentLogger, error };
  const pods = { podByUid: () => undefined, mirrorPodByPod: () => undefined, translatePodUid: (uid: string) => uid };
  const manager = createStatusManager({ clock: { now: () => 0 }, pods, sink, logger });
  return { manager, calls, error };
}

describe('a sink', () => {
  it('gets the current statuses when it starts, and is notified of changes until it stops', async () => {
    const { manager, calls } = setUp();
    manager.setPodStatus(aPod(), { phase: 'Pending' });
    await Promise.all([manager.start(), manager.start()]);
    manager.setPodStatus(aPod(), { phase: 'Running' });
    await manager.stop();
    await manager.stop();
    manager.setPodStatus(aPod(), { phase: 'Pending' });
    expect(calls).toEqual(['start 1', 'changed u-1', 'stop']);
  });

  it('stops when the signal aborts, is not started by an aborted one, and can start again', async () => {
    const { manager, calls } = setUp();
    const controller = new AbortController();
    await manager.start(controller.signal);
    controller.abort();
    await manager.stop();
    await manager.start(controller.signal);
    expect(calls).toEqual(['start 0', 'stop']);
    await manager.start();
    await manager.stop();
    expect(calls).toEqual(['start 0', 'stop', 'start 0', 'stop']);
  });

  it('that fails to start is not stopped and can be started again', async () => {
    let attempts = 0;
    const { manager, calls } = setUp({
      start: async () => {
        if (++attempts === 1) throw new Error('no route');
      },
    });
    await expect(manager.start()).rejects.toThrow('no route');
    await manager.stop();
    expect(calls).toEqual([]);
    await manager.start();
    expect(attempts).toBe(2);
  });

  it('that fails to stop after an abort causes a log line', async () => {
    const { manager, error } = setUp({ stop: () => Promise.reject(new Error('stuck')) });
    const controller = new AbortController();
    await manager.start(controller.signal);
    controller.abort();
    await expect(manager.stop()).rejects.toThrow('stuck');
    expect(error).toHaveBeenCalledWith({ err: new Error('stuck') }, 'failed to stop the status sink');
  });

  it('is optional', async () => {
    const pods = { podByUid: () => undefined, mirrorPodByPod: () => undefined, translatePodUid: (uid: string) => uid };
    const manager = createStatusManager({ clock: { now: () => 0 }, pods });
    await manager.start();
    await manager.stop();
    expect(manager.getPodStatus('u')).toBeUndefined();
  });
});
