import { NodeAgentError } from '@nodeagent/api';
import { join } from '@nodeagent/api/helpers';
import type { DeviceManager, DeviceManagerOptions } from '@nodeagent/device-manager';
import type { AgentParts, Components } from '../../components.js';
import { coreErrorCodes } from '../../errors.js';
import { deviceManagerPackage } from '../device-manager-package.js';

/** Runs device plugins; undefined if they are off. `@nodeagent/device-manager` is loaded at start. */
export function devices(c: Components): AgentParts['devices'] {
  if (!c.settings.devicePlugins) return undefined;
  let manager: DeviceManager | undefined;
  const removed = new Set<string>();

  function started(): DeviceManager {
    if (manager === undefined) throw new NodeAgentError(coreErrorCodes.notStarted, 'the device manager has not started');
    return manager;
  }

  return {
    get manager() {
      return manager;
    },
    async load({ topology, running }) {
      const { createDeviceManager } = await deviceManagerPackage();
      const wasRunning = (podUID: string, containerName: string) =>
        running.some((container) => container.podUID === podUID && container.containerName === containerName);
      manager ??= createDeviceManager({ ...managerOptions(c), topology, wasRunning });
    },
    start: (signal) => started().start(signal),
    stop: async () => manager?.stop(),
    registration: {
      validate: (...plugin) => started().registration.validate(...plugin),
      register: (...plugin) => started().registration.register(...plugin),
      deregister: (...plugin) => started().registration.deregister(...plugin),
    },
    getTopologyHints: (pod, container) => started().getTopologyHints(pod, container),
    getPodTopologyHints: (pod) => started().getPodTopologyHints(pod),
    allocate: (pod, container, hint) => started().allocate(pod, container, hint),
    deviceOptions: (pod, container, signal) => started().deviceOptions(pod, container, signal),
    resources() {
      const { capacity, allocatable, deleted } = manager?.capacity() ?? { capacity: {}, allocatable: {}, deleted: [] };
      for (const name of deleted) removed.add(name);
      for (const name of Object.keys(capacity)) removed.delete(name);
      return { capacity: quantities(capacity), allocatable: quantities(allocatable), removed: [...removed] };
    },
    shouldResetExtendedResources: () => manager?.shouldResetExtendedResources() ?? false,
    devicesInUse: (podUID) => manager?.devicesInUse(podUID) ?? {},
    resourceHealth: (podUID) => manager?.resourceHealth(podUID) ?? {},
    unhealthyReason: () => manager?.unhealthyReason(),
  };
}

function managerOptions(c: Components): Omit<DeviceManagerOptions, 'topology' | 'wasRunning'> {
  const { agent, host, state, common } = c;
  const pluginDir = join(agent.rootDir, 'device-plugins');
  const ports = host.devicePlugins;
  return {
    ...(ports && { store: host.stateFile(join(pluginDir, 'kubelet_internal_checkpoint')), ...ports }),
    pluginDir,
    activePods: () => c.node.activePods(),
    couldHaveRunningContainers: (uid) => c.podWorkers.couldHaveRunningContainers(uid),
    sourcesReady: state.sources.areAllSeen,
    healthChanged: (uids) => c.handler.syncPods([...uids], 'DeviceHealth'),
    ...common,
  };
}

const quantities = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, `${count}`]));
