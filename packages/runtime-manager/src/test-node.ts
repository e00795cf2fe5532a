import type { Clock, EventRecorder, Pod, PodRuntimeStatus, PodSyncResult, RuntimeSyncOptions } from '@nodeagent/api';
import type { ImageService } from '@nodeagent/cri-api';
import type { CriRuntime } from './cri/methods.js';
import { createMemoryFiles, type MemoryFiles } from './memory-files.js';
import type { RuntimeManager, RuntimeManagerOptions } from './options.js';
import { createRuntimeManager } from './runtime-manager.js';

/** For this package's tests: a manager over a runtime in memory, synced as a pod worker does. */
export interface TestNode {
  manager: RuntimeManager;
  files: MemoryFiles;
  /** Reads the pod's status and syncs it once. */
  sync(pod: Pod, options?: RuntimeSyncOptions): Promise<PodSyncResult>;
  status(pod: Pod): Promise<PodRuntimeStatus>;
  kill(pod: Pod, override?: number, signal?: AbortSignal): Promise<PodSyncResult>;
}

export function createTestNode(
  memory: { runtime: CriRuntime; image: Pick<ImageService, 'imageStatus'> },
  clock: Clock,
  overrides: Partial<RuntimeManagerOptions> & { recorder?: EventRecorder } = {},
  files: MemoryFiles = createMemoryFiles(),
): TestNode {
  const manager = createRuntimeManager({
    cri: memory.runtime,
    imageService: memory.image,
    images: { ensureImageExists: async ({ image }) => ({ imageRef: image }) },
    clock,
    random: () => 0.5,
    files,
    podLogsDir: '/var/log/pods',
    podDir: (uid) => `/var/lib/kubelet/pods/${uid}`,
    environment: async () => ({ PATH: '/bin' }),
    dns: () => ({ servers: ['10.0.0.10'], searches: ['default.svc.cluster.local'], options: ['ndots:5'] }),
    ...overrides,
  });
  const identity = (pod: Pod) => ({
    uid: pod.metadata?.uid ?? '',
    name: pod.metadata?.name ?? '',
    namespace: pod.metadata?.namespace ?? '',
  });
  const status = async (pod: Pod): Promise<PodRuntimeStatus> => {
    const found = await manager.getPod(identity(pod).uid);
    return manager.getPodStatus(found ?? { ...identity(pod), containers: [], sandboxes: [] });
  };
  return {
    manager,
    files,
    status,
    sync: async (pod, options) => manager.syncPod(pod, await status(pod), options),
    kill: async (pod, override, signal) => {
      const found = await manager.getPod(identity(pod).uid);
      return manager.killPod(pod, found ?? { ...identity(pod), containers: [], sandboxes: [] }, override, signal);
    },
  };
}
