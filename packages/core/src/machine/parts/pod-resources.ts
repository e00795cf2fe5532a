import type { Startable } from '@nodeagent/api';
import { join } from '@nodeagent/api/helpers';
import type { AgentParts, Components } from '../../components.js';

/** Serves the pod resources API; undefined if device plugins are off, or not on sockets. `@nodeagent/pod-resources` is loaded at start. */
export function podResources(c: Components): AgentParts['podResources'] {
  const { agent, host, state, settings, common, resourceManagers, dynamicResources } = c;
  if (!settings.devicePlugins || host.devicePlugins) return undefined;
  let server: Startable | undefined;
  return {
    async start(signal) {
      const { createPodResourcesServer } = await import('@nodeagent/pod-resources');
      server ??= createPodResourcesServer({
        socketPath: join(agent.rootDir, 'pod-resources', 'kubelet.sock'),
        activePods: () => c.node.activePods(),
        podByName: state.podManager.podByName,
        ...resourceManagers?.podResources(),
        ...(dynamicResources && { dynamicResources: (pod, container) => dynamicResources.getDynamicResources(pod, container) }),
        ...common,
      });
      await server.start(signal);
    },
    stop: async () => server?.stop(),
  };
}
