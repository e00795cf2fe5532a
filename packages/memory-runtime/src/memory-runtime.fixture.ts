import type { ContainerConfig, ContainerStatus } from '@nodeagent/cri-api';
import { createVirtualClock } from '@nodeagent/testing';
import { createMemoryRuntime } from './memory-runtime.js';
import type { MemoryRuntimeOptions } from './options.js';

export const sandboxConfig = (name: string, attempt = 0) => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}`, attempt },
  logDirectory: `/logs/${name}`,
  labels: { 'io.kubernetes.pod.uid': `uid-${name}`, app: name },
});

/** A runtime with a virtual clock, and one-line helpers for the calls of a kubelet. */
export function setUp(options: Partial<MemoryRuntimeOptions> = {}) {
  const clock = createVirtualClock({ start: 1_000_000 });
  const memory = createMemoryRuntime({ clock, images: ['busybox:1'], ...options });
  const { runtime } = memory;

  const run = async (name: string) => (await runtime.runPodSandbox({ config: sandboxConfig(name) })).podSandboxId;
  const create = async (podSandboxId: string, config: ContainerConfig = {}) => {
    const { containerId } = await runtime.createContainer({
      podSandboxId,
      config: { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox:1' }, logPath: 'main/0.log', ...config },
    });
    return containerId;
  };
  const start = async (podSandboxId: string, config: ContainerConfig = {}) => {
    const containerId = await create(podSandboxId, config);
    await runtime.startContainer({ containerId });
    return containerId;
  };
  const status = async (containerId: string): Promise<Partial<ContainerStatus>> =>
    (await runtime.containerStatus({ containerId })).status ?? {};
  return { clock, memory, runtime, image: memory.image, run, create, start, status };
}

export const named = (name: string, attempt = 0): ContainerConfig => ({ metadata: { name, attempt } });
