import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestNode } from '../test-node.js';

const pod = buildPod({ name: 'p', uid: 'u', containers: [{ name: 'app', image: 'app:1' }] });

async function setUp() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const { manager, sync } = createTestNode(memory, clock);
  await sync(pod);
  const [container] = memory.containers();
  return { clock, memory, manager, id: container?.id ?? '' };
}

describe('streaming URLs', () => {
  it('are the URLs of the runtime', async () => {
    const { manager, memory, id } = await setUp();
    for (const method of ['exec', 'attach', 'portForward'] as const)
      memory.fault({ method, answer: { url: `http://127.0.0.1/${method}/t` } });
    const streams = { stdin: true, stdout: true, tty: true };
    expect((await manager.execUrl(id, ['sh', '-c', 'x'], streams)).pathname).toBe('/exec/t');
    expect((await manager.attachUrl(id, { stdout: true, stderr: true })).pathname).toBe('/attach/t');
    expect((await manager.portForwardUrl(pod, [80, 8080])).pathname).toBe('/portForward/t');
    expect(memory.callsOf('exec')[0]?.request).toEqual({ containerId: id, cmd: ['sh', '-c', 'x'], ...streams });
    expect(memory.callsOf('attach')[0]?.request).toEqual({ containerId: id, stdout: true, stderr: true });
    expect(memory.callsOf('portForward')[0]?.request).toEqual({ podSandboxId: memory.sandboxes()[0]?.id, port: [80, 8080] });
  });

  it('are rejected for an invalid response, a hanging runtime, or a pod without a sandbox', async () => {
    const { manager, memory, clock, id } = await setUp();
    memory.fault({ method: 'attach', answer: { url: 'not a url' } });
    await expect(manager.attachUrl(id, {})).rejects.toMatchObject({ code: 'InvalidRuntimeAnswer' });
    memory.fault({ method: 'exec', answer: {} as never });
    await expect(manager.execUrl(id, ['x'], {})).rejects.toMatchObject({ code: 'InvalidRuntimeAnswer' });
    memory.fault({ method: 'exec', hang: true });
    const hanging = manager.execUrl(id, ['x'], {}).catch((error: unknown) => error);
    expect(await clock.run(hanging)).toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED' });
    const unknownPod = buildPod({ name: 'x', uid: 'other', containers: ['app:1'] });
    await expect(manager.portForwardUrl(unknownPod, [80])).rejects.toMatchObject({
      code: 'PodSandboxNotFound',
      message: 'failed to find sandboxID for pod x_default(other)',
    });
  });
});

it('sends the pod CIDR to the runtime', async () => {
  const { manager, memory } = await setUp();
  await manager.updatePodCidr('10.1.0.0/24');
  expect(memory.callsOf('updateRuntimeConfig')[0]?.request).toEqual({ runtimeConfig: { networkConfig: { podCidr: '10.1.0.0/24' } } });
  memory.fault({ method: 'updateRuntimeConfig', error: 'no' });
  await expect(manager.updatePodCidr('10.1.0.0/24')).rejects.toThrow('no');
});

it('calls Version at most once a minute', async () => {
  const { manager, memory, clock } = await setUp();
  const { name } = await manager.runtimeVersion();
  await clock.advance(59_999);
  expect([name, (await manager.runtimeVersion()).name]).toEqual(['memory', 'memory']);
  expect(memory.callsOf('version')).toHaveLength(1);
  await clock.advance(1);
  memory.fault({ method: 'version', error: 'unreachable' });
  await expect(manager.runtimeVersion()).rejects.toThrow('unreachable');
  await manager.runtimeVersion();
  expect(memory.callsOf('version')).toHaveLength(3);
});
