import type { Startable } from '@nodeagent/api';
import type { PodResourcesProviders, PodResourcesServerOptions } from '@nodeagent/pod-resources';

export interface AgentPodResourcesOptions extends Omit<PodResourcesServerOptions, keyof PodResourcesProviders> {
  /** Read at the start. */
  providers(): PodResourcesProviders;
}

/** Serves the pod resources API. `@nodeagent/pod-resources` is loaded at start. */
export function createAgentPodResources({ providers, ...options }: AgentPodResourcesOptions): Startable {
  let server: Startable | undefined;
  return {
    async start(signal) {
      const { createPodResourcesServer } = await import('@nodeagent/pod-resources');
      server ??= createPodResourcesServer({ ...options, ...providers() });
      await server.start(signal);
    },
    stop: async () => server?.stop(),
  };
}
