import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createCriSocket } from './cri-socket.js';
import { createDeliveries } from './deliveries.js';

/** A runtime behind a socket, with a running container. */
async function simulatedRuntime() {
  const deliveries = createDeliveries();
  const clock = createVirtualClock({ settleIO: deliveries.settle });
  const memory = createMemoryRuntime({ clock });
  const socket = createCriSocket(memory, deliveries);
  onTestFinished(() => socket.disconnect());
  const { runtime, image } = socket.cri;
  const sandbox = { metadata: { name: 'pod', namespace: 'default', uid: 'uid', attempt: 0 } };
  const { podSandboxId = '' } = await clock.run(runtime.runPodSandbox({ config: sandbox }));
  await clock.run(image.pullImage({ image: { image: 'busybox' } }));
  const config = { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox' } };
  const { containerId = '' } = await clock.run(runtime.createContainer({ podSandboxId, config, sandboxConfig: sandbox }));
  await clock.run(runtime.startContainer({ containerId }));
  expect(clock.monotonic()).toBe(0);
  return { clock, memory, socket, runtime, containerId };
}

it('processes a series of calls before the next timer', async () => {
  const { clock, runtime } = await simulatedRuntime();
  const log: string[] = [];
  clock.setTimeout(async () => {
    for (let call = 1; call <= 3; call++) {
      await runtime.version({});
      log.push(`response ${call}`);
    }
  }, 10);
  clock.setTimeout(() => log.push('timer'), 10);
  await clock.advance(10);
  expect(log).toEqual(['response 1', 'response 2', 'response 3', 'timer']);
});

it('delivers responses in the order of the calls, with all their consequences', async () => {
  const { clock, runtime } = await simulatedRuntime();
  const log: string[] = [];
  const call = async (name: string, steps: number) => {
    await runtime.listContainers({});
    for (let step = 0; step < steps; step++) await undefined;
    log.push(name);
  };
  const calls = [call('first', 50), call('second', 10), call('third', 0)];
  await clock.settle();
  await Promise.all(calls);
  expect(log).toEqual(['first', 'second', 'third']);
});

it('delivers the response of a slow call when the runtime sends it', async () => {
  const { clock, memory, runtime } = await simulatedRuntime();
  memory.fault({ method: 'status', delayMs: 5_000 });
  let respondedAt = 0;
  const call = runtime.status({}).then(() => {
    respondedAt = clock.monotonic();
  });
  await clock.advance(10_000);
  await call;
  expect(respondedAt).toBe(5_000);
});

it('reports the errors of the runtime', async () => {
  const { clock, memory, runtime } = await simulatedRuntime();
  memory.crash();
  await expect(clock.run(runtime.status({}))).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE', retryable: true });
});

it('delivers a cancellation to the runtime', async () => {
  const { clock, memory, runtime } = await simulatedRuntime();
  memory.fault({ method: 'status', hang: true });
  const controller = new AbortController();
  const call = runtime.status({}, { signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await expect(clock.run(call)).rejects.toThrow('cancelled');
  expect(memory.callsOf('status')).toEqual([expect.objectContaining({ error: expect.objectContaining({ code: 'CRI_CANCELLED' }) })]);
});

it('delivers container events until the stream is cancelled', async () => {
  const { clock, memory, runtime, containerId } = await simulatedRuntime();
  const controller = new AbortController();
  const events: unknown[] = [];
  const read = async () => {
    for await (const { containerEventType } of runtime.getContainerEvents({}, { signal: controller.signal })) {
      events.push(containerEventType);
      // Later events arrive while this one is processed.
      await clock.sleep(1_000);
    }
  };
  const reading = read();
  await clock.settle();
  memory.kill(containerId);
  await clock.run(runtime.removeContainer({ containerId }));
  expect(events).toEqual(['CONTAINER_STOPPED_EVENT']);
  await clock.advance(1_000);
  expect(events).toEqual(['CONTAINER_STOPPED_EVENT', 'CONTAINER_DELETED_EVENT']);
  controller.abort(new Error('cancelled'));
  await expect(clock.run(reading)).rejects.toThrow('cancelled');
  expect(memory.callsOf('getContainerEvents')).toEqual([expect.objectContaining({ endedAt: expect.any(Number) })]);
});

it('completes a received call after a disconnect, without a response', async () => {
  const { clock, memory, socket, runtime, containerId } = await simulatedRuntime();
  memory.fault({ method: 'stopContainer', delayMs: 5_000 });
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  runtime.stopContainer({ containerId, timeout: 0n }).then(settled, settled);
  await clock.settle();
  await socket.disconnect();
  await clock.advance(5_000);
  expect(memory.containers()).toEqual([expect.objectContaining({ state: 'exited' })]);
  expect(isSettled).toBe(false);
});
