import type { PartFactories } from './components.js';
import type { NodeAgentParts } from './node-agent-options.js';
import { checkedFactory } from './options/contract-methods.js';
import * as deviceParts from './parts/device-parts.js';
import { dynamicResources } from './parts/dynamic-resources.js';
import { createNodeFacts } from './parts/node.js';
import * as nodeParts from './parts/node-parts.js';
import * as podParts from './parts/pod-parts.js';
import * as runtimeParts from './parts/runtime-parts.js';

/** The default parts of an agent, in the order in which they are created. */
export const defaultParts: PartFactories = {
  stats: nodeParts.stats,
  eviction: nodeParts.eviction,
  standalone: nodeParts.standalone,
  cluster: nodeParts.cluster,
  environment: runtimeParts.environment,
  node: createNodeFacts,
  volumes: runtimeParts.volumes,
  timeline: podParts.timeline,
  resizes: podParts.resizes,
  statusManager: podParts.statusManager,
  probeManager: podParts.probeManager,
  deadlines: podParts.deadlines,
  imageManager: runtimeParts.imageManager,
  imageGc: runtimeParts.imageGc,
  userNamespaces: runtimeParts.userNamespaces,
  containerManager: nodeParts.containerManager,
  devices: deviceParts.devices,
  resourceManagers: nodeParts.resourceManagers,
  podResources: deviceParts.podResources,
  dynamicResources,
  runtime: runtimeParts.runtime,
  capabilities: runtimeParts.capabilities,
  pleg: runtimeParts.pleg,
  monitor: runtimeParts.monitor,
  inventory: runtimeParts.inventory,
  nodeShutdown: nodeParts.nodeShutdown,
  allocation: nodeParts.allocation,
  syncer: podParts.syncer,
  podWorkers: podParts.podWorkers,
  containerLogs: runtimeParts.containerLogs,
  oomWatcher: nodeParts.oomWatcher,
  cleanup: runtimeParts.cleanup,
  removedPods: podParts.removedPods,
  housekeeping: podParts.housekeeping,
  handler: podParts.handler,
  syncLoop: podParts.syncLoop,
  server: nodeParts.server,
};

/** The default parts, replaced by those of the options. */
export function chosenParts({
  statusManager,
  pleg,
  podWorkers,
  imageManager,
  allocation,
  containerManager,
}: NodeAgentParts): PartFactories {
  return {
    ...defaultParts,
    ...(statusManager && { statusManager: checkedFactory('statusManager', statusManager) }),
    ...(pleg && { pleg: checkedFactory('pleg', pleg) }),
    ...(podWorkers && { podWorkers: checkedFactory('podWorkers', podWorkers) }),
    ...(imageManager && { imageManager: checkedFactory('imageManager', imageManager) }),
    ...(allocation && { allocation: checkedFactory('allocation', allocation) }),
    ...(containerManager && { containerManager: checkedFactory('containerManager', containerManager) }),
  };
}
