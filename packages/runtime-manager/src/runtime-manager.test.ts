import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createMemoryFiles } from './memory-files.js';
import { nodeFiles } from './node-files.js';
import type { RuntimeManagerOptions } from './options.js';
import { createRuntimeManager } from './runtime-manager.js';
import { createTestNode } from './test-node.js';

function setUp() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  return { clock, memory, node: createTestNode(memory, clock) };
}

describe('createRuntimeManager', () => {
  it('does no I/O and starts no timer', () => {
    const { clock, memory } = setUp();
    expect([memory.calls, clock.pending]).toEqual([[], 0]);
  });

  it.each([
    [{ cri: undefined }, 'cri.runPodSandbox'],
    [{ images: {} }, 'images.ensureImageExists'],
    [{ podDir: '/x' }, 'podDir'],
    [{ podLogsDir: 'logs' }, 'podLogsDir'],
    [{ settings: { cpuCFSQuotaPeriodMs: 0 } }, 'settings.cpuCFSQuotaPeriodMs'],
    [{ files: undefined }, 'files'],
    [{ settings: { maxContainerRestartPeriodMs: 300_001 } }, 'settings.maxContainerRestartPeriodMs'],
    [{ settings: { minAgeMs: Number.NaN } }, 'settings.minAgeMs'],
    [{ settings: { memoryThrottlingFactor: 0 } }, 'settings.memoryThrottlingFactor'],
    [{ settings: { memoryReservationPolicy: 'TieredReservation' } }, 'settings.memoryReservationPolicy'],
  ])('rejects %j', (wrong, field) => {
    const { clock, memory } = setUp();
    const options = {
      cri: memory.runtime,
      images: { ensureImageExists: async () => ({ imageRef: '' }) },
      files: createMemoryFiles(),
      clock,
      podLogsDir: '/logs',
      podDir: () => '/pod',
      environment: async () => ({}),
      dns: () => ({ servers: [], searches: [], options: [] }),
      ...wrong,
    } as unknown as RuntimeManagerOptions;
    expect(() => createRuntimeManager(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});

describe('checkRuntime', () => {
  it("reads the runtime's name", async () => {
    const { node } = setUp();
    await node.manager.checkRuntime();
    expect(node.manager.runtimeName).toBe('memory');
  });

  it('rejects another API version', async () => {
    const { node, memory } = setUp();
    const answer = { version: '0.2.0', runtimeName: 'x', runtimeVersion: '1', runtimeApiVersion: 'v1' };
    memory.fault({ method: 'version', answer });
    await expect(node.manager.checkRuntime()).rejects.toMatchObject({
      code: 'RuntimeVersionNotSupported',
      message: 'runtime api version is not supported: "0.2.0"',
    });
  });

  it('rejects at its deadline if the runtime hangs, and when its caller aborts', async () => {
    const { node, memory, clock } = setUp();
    memory.fault({ method: 'version', hang: true, times: 2 });
    await expect(clock.run(node.manager.checkRuntime())).rejects.toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED', retryable: true });
    // The deadline of the call has the same time.
    await clock.advance(0);
    const controller = new AbortController();
    const asked = node.manager.checkRuntime(controller.signal);
    controller.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});

it('status reports the features of the runtime handlers', async () => {
  const { node, memory } = setUp();
  const features = { recursiveReadOnlyMounts: true, userNamespaces: true };
  expect(await node.manager.status()).toMatchObject({ handlers: [{ name: '', features }], features: { supplementalGroupsPolicy: true } });
  const status = { conditions: [] };
  memory.fault({ method: 'status', answer: { status, info: {}, runtimeHandlers: [] } });
  expect(await node.manager.status()).not.toHaveProperty('handlers');
});

it('status reports conditions that are not ready, with the reason', async () => {
  const { node, memory } = setUp();
  expect(await node.manager.status()).toMatchObject({ runtimeReady: true, networkReady: true, runtimeMessage: '', networkMessage: '' });
  memory.setCondition('NetworkReady', false, 'NetworkPluginNotReady', 'cni plugin not initialized');
  expect(await node.manager.status()).toMatchObject({
    networkReady: false,
    networkMessage: 'NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized',
  });
});

describe('nodeFiles', () => {
  it('keeps the promises of PodFiles on a real disk', async () => {
    const root = await mkdtemp(join(tmpdir(), 'runtime-manager-'));
    const path = join(root, 'a', 'file');
    try {
      expect(await nodeFiles.readTail(path, 10)).toBeUndefined();
      expect(await nodeFiles.list(join(root, 'a'))).toEqual([]);
      await nodeFiles.makeDirectory(join(root, 'a'), 0o755);
      await nodeFiles.makeDirectory(join(root, 'a'), 0o755);
      await nodeFiles.writeFile(path, 'hello', 0o666);
      expect((await stat(path)).mode & 0o777).toBe(0o666);
      expect(await nodeFiles.readText(path)).toBe('hello');
      expect(new TextDecoder().decode(await nodeFiles.readTail(path, 3))).toBe('llo');
      await nodeFiles.symlink(path, join(root, 'link'));
      await nodeFiles.symlink(path, join(root, 'link'));
      expect(await nodeFiles.exists(join(root, 'link'))).toBe(true);
      await nodeFiles.remove(join(root, 'a'));
      await nodeFiles.remove(join(root, 'a'));
      expect(await nodeFiles.exists(join(root, 'link'))).toBe(false);
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
