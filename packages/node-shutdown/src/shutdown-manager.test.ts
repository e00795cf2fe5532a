import { getEventListeners } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { buildPod, createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileShutdownState } from './file-shutdown-state.js';
import type { ShutdownWatcher } from './shutdown-inhibitor.js';
import { createShutdownManager, type ShutdownManagerOptions } from './shutdown-manager.js';
import { shutdownStatus } from './terminate-group.js';

const pod = (name: string, priority: number, terminationGracePeriodSeconds: number): Pod => {
  const built = buildPod({ name });
  return { ...built, spec: { ...built.spec, priority, terminationGracePeriodSeconds } as Pod['spec'] };
};
const attributes = { pod: pod('new', 0, 30), otherPods: [], operation: 'add' } as const;
const settings = { shutdownGracePeriodSeconds: 30, shutdownGracePeriodCriticalPodsSeconds: 10 };

/** A node whose pods take so many seconds to terminate; undefined: they never terminate. */
function testNode(pods: [Pod, number | undefined][], overrides: Partial<ShutdownManagerOptions> = {}) {
  const clock = createVirtualClock();
  const recorder = createRecordingRecorder();
  const logger = createRecordingLogger();
  const kills: string[] = [];
  const gauges: Record<string, number> = {};
  const manager = createShutdownManager({
    nodeName: 'n1',
    settings,
    clock,
    recorder,
    logger,
    metrics: {
      counter: () => ({ inc() {} }),
      gauge: ({ name }) => ({
        set(value) {
          gauges[name] = value;
        },
      }),
      histogram: () => ({ observe() {} }),
    },
    activePods: () => pods.map(([each]) => each),
    async killPod({ metadata }, { gracePeriodOverride, signal }) {
      kills.push(`${clock.monotonic() / 1000} s: ${metadata?.name} within ${gracePeriodOverride} s`);
      const seconds = pods.find(([each]) => each.metadata?.name === metadata?.name)?.[1];
      if (seconds === undefined) await new Promise(() => {});
      await clock.sleep((seconds ?? 0) * 1000, signal);
    },
    ...overrides,
  });
  return { clock, recorder, logger, kills, gauges, manager };
}

describe('a shutdown', () => {
  it('kills pods by rising priority, each group when the previous one has terminated', async () => {
    const node = testNode([
      [pod('critical', 2_000_000_000, 60), 3],
      [pod('a', 0, 5), 4],
      [pod('b', 100, 60), 7],
    ]);
    expect(node.manager.plan().map(({ pods }) => pods.length)).toEqual([2, 1]);
    await node.clock.run(node.manager.shutdown());
    expect(node.kills).toEqual(['0 s: a within 5 s', '0 s: b within 20 s', '7 s: critical within 10 s']);
    expect(node.clock.monotonic()).toBe(10_000);
    expect(node.recorder.lines).toEqual(['Normal Shutdown Shutdown manager detected shutdown event']);
    const end = node.gauges.kubelet_graceful_shutdown_end_time_seconds ?? 0;
    expect(end - (node.gauges.kubelet_graceful_shutdown_start_time_seconds ?? 0)).toBe(10);
    expect(node.clock.pending).toBe(0);
  });

  it("waits for a pod until its group's period ends, and continues after a kill that fails", async () => {
    const node = testNode([
      [pod('hangs', 0, 60), undefined],
      [pod('critical', 2_000_000_000, 60), 1],
    ]);
    await node.clock.run(node.manager.shutdown());
    expect(node.kills).toEqual(['0 s: hangs within 20 s', '20 s: critical within 10 s']);
    expect(node.logger.texts().join()).toContain('the shutdown grace period of the group has ended');

    const failing = testNode([[pod('a', 0, 5), 1]], { killPod: () => Promise.reject(new Error('runtime is away')) });
    await failing.clock.run(failing.manager.shutdown());
    expect(failing.logger.texts().join()).toContain('runtime is away');
  });

  it("waits for volumes to be unmounted within the group's period, and skips groups without pods", async () => {
    const waited: string[][] = [];
    const node = testNode([[pod('critical', 2_000_000_000, 60), 2]], {
      async waitForUnmount(pods) {
        waited.push(pods.map(({ metadata }) => metadata?.name ?? ''));
        await new Promise(() => {});
      },
    });
    await node.clock.run(node.manager.shutdown());
    expect(waited).toEqual([['critical']]);
    expect(node.clock.monotonic()).toBe(10_000);
  });

  it('makes the node not ready at once, rejects new pods from then on, and runs once for several calls', async () => {
    let reports = 0;
    const node = testNode([[pod('a', 0, 5), 2]], {
      async syncNodeStatus() {
        reports++;
        throw new Error('API server is away');
      },
    });
    expect(node.manager.admit(attributes)).toEqual({ admit: true });
    expect(node.manager.shutdownError()).toBeUndefined();
    const first = node.manager.shutdown();
    const refusal = { admit: false, reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' };
    expect(node.manager.admit(attributes)).toEqual(refusal);
    expect(node.manager.shutdownError()).toBe('node is shutting down');
    expect(reports).toBe(1);
    await node.clock.run(Promise.all([first, node.manager.shutdown()]));
    expect(node.kills).toHaveLength(1);
    expect(node.manager.admit(attributes)).toEqual(refusal);
    expect(node.logger.texts().join()).toContain('API server is away');
  });

  it('that is cancelled kills no further group and admits pods again', async () => {
    const node = testNode([
      [pod('a', 0, 5), 5],
      [pod('critical', 2_000_000_000, 60), 1],
    ]);
    node.manager.cancel();
    const done = node.manager.shutdown();
    done.catch(() => {});
    await node.clock.advance(1000);
    node.manager.cancel();
    await expect(done).rejects.toThrow('the shutdown was cancelled');
    await node.clock.advance(60_000);
    expect(node.kills).toHaveLength(1);
    expect(node.manager.admit(attributes)).toEqual({ admit: true });
    expect(node.recorder.lines).toHaveLength(2);
    expect(node.recorder.lines[1]).toContain('Shutdown manager detected shutdown cancellation');
    expect(node.clock.pending).toBe(0);
  });

  it("leaves no listeners on its callers' signals", async () => {
    const node = testNode([[pod('a', 0, 5), 2]]);
    const agent = new AbortController();
    for (let times = 0; times < 3; times++) {
      await node.clock.run(node.manager.shutdown(agent.signal));
      node.manager.cancel();
    }
    expect(node.kills).toHaveLength(3);
    expect(getEventListeners(agent.signal, 'abort')).toEqual([]);

    agent.abort(new Error('the agent ends'));
    await expect(node.manager.shutdown(agent.signal)).rejects.toThrow('the agent ends');
    expect(node.manager.shutdownError()).toBeUndefined();
  });

  it('does nothing without a shutdown grace period', async () => {
    const node = testNode([[pod('a', 0, 5), 5]], { settings: {} });
    expect(node.manager.isEnabled).toBe(false);
    await node.manager.shutdown();
    expect(node.kills).toEqual([]);
    expect(node.manager.admit(attributes)).toEqual({ admit: true });
  });
});

describe('a manager with an inhibitor', () => {
  it('starts and cancels a shutdown when the inhibitor reports it, and aborts it when stopped', async () => {
    let watcher: ShutdownWatcher | undefined;
    let until: AbortSignal | undefined;
    const node = testNode([[pod('a', 0, 5), 5]], {
      inhibitor: {
        async watch(given, signal) {
          watcher = given;
          until = signal;
        },
      },
    });
    const agent = new AbortController();
    await node.manager.start(agent.signal);
    await node.manager.start();
    expect(watcher?.seconds).toBe(30);
    const first = watcher?.onShutdown();
    watcher?.onCancelled();
    await expect(first).rejects.toThrow('the shutdown was cancelled');
    const second = watcher?.onShutdown();
    agent.abort();
    await expect(second).rejects.toThrow('the shutdown manager was stopped');
    expect(until?.aborted).toBe(true);
    await node.manager.stop();
  });

  it("rejects its start with the inhibitor's error, and can still shut down", async () => {
    const inhibitor = { watch: () => Promise.reject(new Error('no logind')) };
    const node = testNode([[pod('a', 0, 5), 5]], { inhibitor });
    await expect(node.manager.start()).rejects.toThrow('no logind');
    await node.clock.run(node.manager.shutdown());
    expect(node.kills).toHaveLength(1);
    const disabled = testNode([], { inhibitor, settings: {} });
    await disabled.manager.start();
  });
});

describe('the times of the last shutdown', () => {
  const gauge = { start: 'kubelet_graceful_shutdown_start_time_seconds', end: 'kubelet_graceful_shutdown_end_time_seconds' };
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'shutdown-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("are stored in the kubelet's file format, and restored after a restart", async () => {
    const path = join(folder, 'graceful_node_shutdown_state');
    const written = () => JSON.parse(readFileSync(path, 'utf8'));
    const node = testNode([[pod('a', 0, 5), 5]], { state: createFileShutdownState(path) });
    await node.manager.start();
    expect(node.gauges).toEqual({});
    const done = node.manager.shutdown();
    await expect.poll(() => existsSync(path)).toBe(true);
    expect(written()).toEqual({ startTime: '2026-01-01T00:00:00Z', endTime: '0001-01-01T00:00:00Z' });
    const again = testNode([], { state: createFileShutdownState(path) });
    await again.manager.start();
    expect(again.gauges).toEqual({ [gauge.start]: Date.UTC(2026, 0, 1) / 1000, [gauge.end]: 0 });
    await node.clock.advance(5_000);
    await done;
    expect(written()).toEqual({ startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-01T00:00:05Z' });
    const later = testNode([], { state: createFileShutdownState(path) });
    await later.manager.start();
    expect((later.gauges[gauge.end] ?? 0) - (later.gauges[gauge.start] ?? 0)).toBe(5);
  });

  it('are stored one after the other, so that a slow start does not replace the end', async () => {
    const stored: (number | undefined)[] = [];
    let saves = 0;
    const node = testNode([[pod('a', 0, 5), 5]], {
      state: {
        load: async () => undefined,
        async save({ endTime }) {
          if (++saves === 1) await node.clock.sleep(20_000);
          stored.push(endTime);
        },
      },
    });
    await node.manager.start();
    await node.clock.run(node.manager.shutdown());
    expect(stored).toEqual([undefined, expect.any(Number)]);
  });

  it('do not delay a shutdown if they cannot be read or stored', async () => {
    const path = join(folder, 'broken');
    writeFileSync(path, '{');
    const { load } = createFileShutdownState(path);
    const node = testNode([[pod('a', 0, 5), 5]], { state: { load, save: () => Promise.reject(new Error('disk is full')) } });
    await node.manager.start();
    await node.clock.run(node.manager.shutdown());
    const lines = node.logger.texts().join();
    expect(lines).toContain('failed to read the times of the last shutdown');
    expect(lines).toContain('disk is full');
    expect(node.kills).toHaveLength(1);
  });
});

it("sets the kubelet's status, and keeps the phase Succeeded", () => {
  const now = Date.UTC(2026, 0, 1);
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const before = {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'DisruptionTarget', status: 'False' },
    ],
  };
  expect(shutdownStatus(attributes.pod, before, now)).toMatchObject({
    phase: 'Failed',
    reason: 'Terminated',
    message: 'Pod was terminated in response to imminent node shutdown.',
    conditions: [{ type: 'Ready', status: 'True' }, condition],
  });
  expect(shutdownStatus(attributes.pod, { phase: 'Succeeded' }, now).phase).toBe('Succeeded');
});

it.each([
  ['nodeName', { nodeName: '' }],
  ['killPod', { killPod: undefined as never }],
])('refuses a wrong %s', (field, wrong) => {
  const right = { nodeName: 'n1', settings, activePods: () => [], killPod: async () => {} };
  expect(() => createShutdownManager({ ...right, ...wrong })).toThrow(
    expect.objectContaining({ code: 'InvalidOption', details: { field } }),
  );
});
