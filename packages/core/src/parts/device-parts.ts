import { join } from 'node:path';
import type { AgentParts, Components } from '../components.js';
import { createAgentDevices } from './devices.js';
import { createAgentPodResources } from './pod-resources.js';

/** Runs device plugins; undefined if they are off. */
export function devices(c: Components): AgentParts['devices'] {
  const { agent, settings, state } = c;
  const { clock, logger, metrics } = c.common;
  if (!settings.devicePlugins) return undefined;
  const pluginDir = join(agent.rootDir, 'device-plugins');
  const ports = agent.parts?.devicePlugins;
  return createAgentDevices({
    ...(ports && { store: c.host.stateFile(join(pluginDir, 'kubelet_internal_checkpoint')), ...ports }),
    pluginDir,
    activePods: () => c.node.activePods(),
    couldHaveRunningContainers: (uid) => c.podWorkers.couldHaveRunningContainers(uid),
    sourcesReady: state.sources.areAllSeen,
    healthChanged: (uids) => c.handler.syncPods([...uids], 'DeviceHealth'),
    clock,
    logger,
    metrics,
  });
}

/** Serves the pod resources API; undefined if device plugins are off, or not on sockets. */
export function podResources(c: Components): AgentParts['podResources'] {
  const { agent, state, settings, resourceManagers, dynamicResources } = c;
  const { clock, metrics } = c.common;
  if (!settings.devicePlugins || agent.parts?.devicePlugins) return undefined;
  return createAgentPodResources({
    socketPath: join(agent.rootDir, 'pod-resources', 'kubelet.sock'),
    activePods: () => c.node.activePods(),
    podByName: state.podManager.podByName,
    providers: () => ({
      ...resourceManagers?.podResources(),
      ...(dynamicResources && { dynamicResources: (pod, container) => dynamicResources.getDynamicResources(pod, container) }),
    }),
    clock,
    metrics,
  });
}
