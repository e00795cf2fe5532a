import type { ContainerConfig, LinuxContainerResources } from '@nodeagent/cri-api';
import type { SimulatedAgentOptions } from '@nodeagent/test-cluster';

/** Receives the calls of an agent that give something to a pod, before they are made. */
export interface OrderObserver {
  onRunSandbox(podUid: string): void;
  onCreateContainer(podUid: string, config: ContainerConfig): void;
  onUpdateContainer(containerId: string, resources: LinuxContainerResources): void;
}

const uidLabel = 'io.kubernetes.pod.uid';

/** The ports of an agent, whose calls are also reported to the observer. */
export function observedOrder(options: SimulatedAgentOptions, observer: OrderObserver): SimulatedAgentOptions {
  const { runtime } = options.cri;
  const reported: Partial<typeof runtime> = {
    runPodSandbox(request, ...rest) {
      observer.onRunSandbox(request.config?.metadata?.uid ?? '');
      return runtime.runPodSandbox(request, ...rest);
    },
    createContainer(request, ...rest) {
      const { config = {} } = request;
      observer.onCreateContainer(config.labels?.[uidLabel] ?? '', config as ContainerConfig);
      return runtime.createContainer(request, ...rest);
    },
    updateContainerResources(request, ...rest) {
      observer.onUpdateContainer(request.containerId ?? '', (request.linux ?? {}) as LinuxContainerResources);
      return runtime.updateContainerResources(request, ...rest);
    },
  };
  const get = (target: typeof runtime, name: string | symbol) => Reflect.get(name in reported ? reported : target, name);
  return { ...options, cri: { ...options.cri, runtime: new Proxy(runtime, { get }) } };
}
