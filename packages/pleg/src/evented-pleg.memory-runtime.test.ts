import type { RuntimeContainerState, RuntimePod } from '@nodeagent/api';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { createEventedPleg, type EventedPleg } from './evented-pleg.js';
import { createPodCache, emptyPodStatus } from './pod-cache.js';
import { recordingMetrics } from './test-harness.js';

const running: EventedPleg[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((pleg) => pleg.stop()));
});

const words: Record<string, RuntimeContainerState> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
  SANDBOX_READY: 'running',
  SANDBOX_NOTREADY: 'exited',
};

/** A minimal implementation of the generator's three runtime calls over CRI. */
function runtimeOver({ runtime }: MemoryRuntime) {
  const listed = (id: string, name: string, state: string, podSandboxId: string) => {
    return { id, name, state: words[state] ?? 'unknown', createdAt: 0n, image: '', imageId: '', imageRef: '', hash: '', podSandboxId };
  };
  const list = async (signal?: AbortSignal): Promise<RuntimePod[]> => {
    const options = signal ? { signal } : {};
    const { items } = await runtime.listPodSandbox({}, options);
    const { containers } = await runtime.listContainers({}, options);
    const pods = new Map<string, RuntimePod>();
    for (const { id, metadata, state } of items) {
      const { uid = '', name = '', namespace = '' } = metadata ?? {};
      const pod = pods.get(uid) ?? { uid, name, namespace, containers: [], sandboxes: [] };
      pods.set(uid, pod);
      pod.sandboxes.push(listed(id, '', state, id));
      for (const container of containers) {
        if (container.podSandboxId === id) pod.containers.push(listed(container.id, container.metadata?.name ?? '', container.state, id));
      }
    }
    return [...pods.values()];
  };
  return {
    getPods: (_all: boolean, signal?: AbortSignal) => list(signal),
    getPod: async (uid: string, signal?: AbortSignal) => (await list(signal)).find((pod) => pod.uid === uid),
    getPodStatus: async (pod: RuntimePod) => ({
      ...emptyPodStatus(pod.uid),
      name: [...pod.containers, ...pod.sandboxes].map(({ name, state }) => `${name || 'sandbox'}=${state}`).join(' '),
    }),
  };
}

async function setUp() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const cache = createPodCache();
  const { metrics, value } = recordingMetrics();
  const pleg = createEventedPleg({
    runtime: runtimeOver(memory),
    containerEvents: (signal) => memory.runtime.getContainerEvents({}, { signal }),
    cache,
    clock,
    metrics,
  });
  running.push(pleg);
  const { podSandboxId } = await memory.runtime.runPodSandbox({
    config: { metadata: { name: 'web', namespace: 'ns', uid: 'a', attempt: 0 } },
  });
  const create = async (name: string) => {
    const config = { metadata: { name, attempt: 0 }, image: { image: 'busybox:1' } };
    return (await memory.runtime.createContainer({ podSandboxId, config })).containerId;
  };
  const started = async (name: string) => {
    const containerId = await create(name);
    await memory.runtime.startContainer({ containerId });
    return containerId;
  };
  const take = () => {
    const types: string[] = [];
    for (let next = pleg.events.poll(); next; next = pleg.events.poll()) types.push(next.type);
    return types;
  };
  const calls = () => {
    const methods = memory.calls.map(({ method }) => method);
    memory.clearCalls();
    return methods;
  };
  const drift = () => value('nodeagent_pleg_drift_total relist') + value('nodeagent_pleg_drift_total reconnect');
  return { clock, memory, cache, pleg, podSandboxId, create, started, take, calls, drift, cached: () => cache.peek('a')?.status?.name };
}

describe('on the in-memory runtime', () => {
  it('reports the lifecycle of a pod from events alone', async () => {
    const { clock, memory, pleg, podSandboxId, started, take, calls, cached, drift } = await setUp();
    await pleg.start();
    await clock.advance(700_000);
    expect(take()).toEqual(['ContainerStarted']);
    calls();
    const containerId = await started('main');
    await clock.settle();
    expect(cached()).toBe('main=running sandbox=running');
    memory.kill(containerId);
    await clock.settle();
    expect(cached()).toBe('main=exited sandbox=running');
    await memory.runtime.removeContainer({ containerId });
    await clock.settle();
    expect(cached()).toBe('sandbox=running');
    memory.killSandbox(podSandboxId);
    await clock.settle();
    expect(cached()).toBe('sandbox=exited');
    await memory.runtime.removePodSandbox({ podSandboxId });
    await clock.settle();
    expect(cached()).toBeUndefined();
    expect(take()).toEqual(['ContainerStarted', 'ContainerDied', 'ContainerRemoved', 'ContainerDied', 'ContainerRemoved']);
    calls();
    await clock.advance(3_600_000);
    expect(calls().length).toBeLessThanOrEqual(2 * 12);
    expect(drift()).toBe(0);
  });

  it('loses no change during a crash and restart of the runtime', async () => {
    const { clock, memory, pleg, started, take, cached } = await setUp();
    const containerId = await started('main');
    await pleg.start();
    await clock.advance(60_000);
    take();
    memory.crash();
    memory.kill(containerId);
    await clock.advance(30_000);
    expect(pleg.mode()).toBe('generic');
    expect(take()).toEqual([]);
    memory.restart();
    await clock.advance(1_000);
    expect(cached()).toBe('main=exited sandbox=running');
    expect(take()).toEqual(['ContainerDied']);
    await clock.advance(60_000);
    expect(pleg.mode()).toBe('evented');
  });

  it('reports the same events, only later, if the stream hangs, ends after one event or is slow', async () => {
    const faults = [{ hang: true }, { dropAfter: true }, { delayMs: 3_000 }, { error: 'CRI_UNIMPLEMENTED' as const }];
    for (const fault of faults) {
      const { clock, memory, pleg, started, cached } = await setUp();
      memory.fault({ method: 'getContainerEvents', ...fault });
      const ids = [await started('one'), await started('two')];
      await pleg.start();
      await clock.advance(20_000);
      for (const id of ids) {
        memory.kill(id);
        await clock.advance(305_000);
      }
      expect(cached(), JSON.stringify(fault)).toMatch(/^(one|two)=exited (one|two)=exited sandbox=running$/);
    }
  });

  it('detects a power failure immediately', async () => {
    const { clock, memory, pleg, started, cached } = await setUp();
    await started('main');
    await pleg.start();
    await clock.advance(700_000);
    memory.reboot();
    await clock.settle();
    expect(cached()).toBe('main=exited sandbox=exited');
  });
});
