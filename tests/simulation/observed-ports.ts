import type { StatsProvider, Summary } from '@nodeagent/api';
import type { SimulatedAgentOptions } from '@nodeagent/test-cluster';

/** What an agent asks its ports for. */
export interface PortObserver {
  /** Called before each call that lists all images, except while an image is removed: garbage collection lists them before it removes any. */
  onListImages(): void;
  /** Called before each call that removes an image. */
  onRemoveImage(image: string): void;
  /** Called before each call that starts a container. */
  onStart(containerId: string): void;
  /** Called before each call that stops a container. */
  onStop(containerId: string): void;
  /** Called before each call that stops a sandbox. */
  onStopSandbox(sandboxId: string): void;
  /** Called with the stats of each evaluation of the eviction thresholds. */
  onStats(stats: Summary): void;
}

/** The ports of an agent, whose calls are also reported to the observer. */
export function observedPorts(options: SimulatedAgentOptions, observer: PortObserver): SimulatedAgentOptions {
  const { cri, parts = {} } = options;
  const { stats } = parts;
  let removals = 0;
  const startContainer: typeof cri.runtime.startContainer = (request, ...rest) => {
    observer.onStart(request.containerId ?? '');
    return cri.runtime.startContainer(request, ...rest);
  };
  const stopContainer: typeof cri.runtime.stopContainer = (request, ...rest) => {
    observer.onStop(request.containerId ?? '');
    return cri.runtime.stopContainer(request, ...rest);
  };
  const stopPodSandbox: typeof cri.runtime.stopPodSandbox = (request, ...rest) => {
    observer.onStopSandbox(request.podSandboxId ?? '');
    return cri.runtime.stopPodSandbox(request, ...rest);
  };
  const listImages: typeof cri.image.listImages = (request, ...rest) => {
    if (request.filter === undefined && removals === 0) observer.onListImages();
    return cri.image.listImages(request, ...rest);
  };
  const removeImage: typeof cri.image.removeImage = (request, ...rest) => {
    observer.onRemoveImage(request.image?.image ?? '');
    removals++;
    return cri.image.removeImage(request, ...rest).finally(() => removals--);
  };
  return {
    ...options,
    cri: {
      ...cri,
      runtime: withMethods(cri.runtime, { startContainer, stopContainer, stopPodSandbox }),
      image: withMethods(cri.image, { listImages, removeImage }),
    },
    ...(stats && { parts: { ...parts, stats: (...args) => observedStats(stats(...args), observer.onStats) } }),
  };
}

/** The service with other implementations of some methods. */
const withMethods = <T extends object>(service: T, methods: Partial<T>): T =>
  new Proxy(service, { get: (target, name) => Reflect.get(name in methods ? methods : target, name) });

function observedStats(stats: StatsProvider | undefined, onStats: PortObserver['onStats']): StatsProvider | undefined {
  if (stats === undefined) return undefined;
  return {
    ...stats,
    async summary(request) {
      const result = await stats.summary(request);
      if (request.fresh) onStats(result);
      return result;
    },
  };
}
