import { createAllocationManager } from '@nodeagent/allocation';
import { formatResourceList, invalidOption, type Pod, type PodAdmitHandler, type PodStatus, settlesWithin } from '@nodeagent/api';
import { nodeReservation } from '@nodeagent/node-status/decisions';
import { waitForAllPodsUnmount } from '@nodeagent/volume-manager';
import type { CommonPorts } from '../agent-context.js';
import { type ClusterContext, createClusterParts } from '../cluster/cluster.js';
import type { AgentParts, Components } from '../components.js';
import { agentFeatures } from '../options/agent-features.js';
import { managersInUse } from '../options/resource-managers.js';
import { resizeAdmission } from '../options/runtime-capabilities.js';
import { capacityOf, createAgentContainerManager } from './container-manager.js';
import { createAgentEviction } from './eviction.js';
import { createNodeShutdown } from './node-shutdown.js';
import { createAgentOomWatcher } from './oom-watcher.js';
import { combineHooks } from './resource-managers/container-hooks.js';
import { createResourceManagers } from './resource-managers.js';
import { createAgentServer } from './server.js';
import { createStandaloneNode } from './standalone.js';
import { createAgentStats } from './stats.js';
import { nodeVolumeFacts } from './volumes.js';

/** Resource usage of the node and its pods. */
export function stats(c: Components): AgentParts['stats'] {
  return createAgentStats({
    agent: c.agent,
    host: c.host,
    podLogsDir: c.logFolders.pods,
    pods: () => c.state.podManager.pods(),
    podStatus: (uid) => c.statusManager.getPodStatus(uid),
    volumes: () => c.volumes.capabilities.measuring,
    volumeStatsAggPeriodMs: c.settings.volumeStatsAggPeriodMs,
    cgroupRoot: c.settings.cgroupRoot,
    ...c.common,
  });
}

/** Evicts pods when the node is short of resources. */
export function eviction(c: Components): AgentParts['eviction'] {
  const { fileSystems } = c.host;
  return createAgentEviction(c.agent.eviction, {
    summary: c.stats.provider,
    ...(fileSystems && { fileSystems }),
    nodeName: c.agent.nodeName,
    activePods: () => c.node.activePods().map((pod) => c.allocation.updatePodFromAllocation(pod)),
    killPod: (pod, kill) => c.podWorkers.killPodNow(pod, kill),
    shouldPodBeFinished: (uid) => c.podWorkers.shouldPodBeFinished(uid),
    deleteAllUnusedContainers: () => c.capabilities.reclaiming.deleteAllUnusedContainers(c.state.sources.areAllSeen()),
    deleteUnusedImages: (signal) => c.imageGc.deleteUnusedImages(signal),
    ...c.common,
  });
}

/** The Node and its admission handlers, without a cluster. */
export function standalone(c: Components): AgentParts['standalone'] {
  const { agent } = c;
  if (agent.cluster !== undefined) return undefined;
  return createStandaloneNode({
    nodeName: agent.nodeName,
    node: agent.node,
    host: c.host,
    evictionReserves: c.eviction?.reserves,
    ...(agent.nodeAllocatable && { nodeAllocatable: () => agent.nodeAllocatable?.() ?? {} }),
    features: () => c.monitor.health()?.features,
    ...(c.devices && { devices: c.devices }),
    ...preemption(c),
    ...resourceAdmission(c),
    ...c.common,
  });
}

/** Assigns CPUs, memory and devices to admitted pods. */
function resourceAdmission(c: Components): { allocateResources?: PodAdmitHandler } {
  return { allocateResources: { admit: (attributes) => c.resourceManagers?.admitHandler.admit(attributes) ?? { admit: true } } };
}

/** Terminates pods to make room for critical ones. */
function preemption(c: Components) {
  return {
    preemptPod: (pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal) =>
      c.podWorkers.killPodNow(pod, { evict: true, podStatusFunc, ...(signal && { signal }) }),
  };
}

/** The parts of an agent in a cluster. */
export function cluster(c: Components): AgentParts['cluster'] {
  const { agent, state, emitter } = c;
  if (agent.cluster === undefined) return undefined;
  return createClusterParts({
    cluster: agent.cluster,
    nodeName: agent.nodeName,
    podManager: state.podManager,
    couldHaveRunningContainers: (uid) =>
      c.podWorkers.couldHaveRunningContainers(uid) || c.dynamicResources?.hasPreparedResources(uid) === true,
    nodeContext: nodeContext(c),
    onConnection: (error) => emitter.emit('cluster', error),
    ...c.common,
    signal: c.ended.signal,
  });
}

/** What the Node object reports about the agent. */
function nodeContext(c: Components): ClusterContext['nodeContext'] {
  const { clock, recorder } = c.common;
  const { reservedSystemCPUs } = c.agent.resourceManagers ?? {};
  return {
    runtime: {
      errors: () => c.monitor.runtimeErrors(),
      networkErrors: () => [c.monitor.networkError()].filter((error) => error !== undefined),
      handlers: () => c.monitor.health()?.handlers ?? [],
      features: () => c.monitor.health()?.features,
      refresh: async (signal) => {
        await settlesWithin(c.monitor.refresh(), { clock, timeoutMs: c.settings.runtimeStatusPeriodMs, signal });
      },
    },
    inventory: {
      version: () => c.inventory.version(),
      images: (signal) => c.inventory.images(signal),
    },
    ...preemption(c),
    ...(c.eviction && { pressure: c.eviction, evictionReserves: c.eviction.reserves }),
    ...nodeVolumeFacts(() => c.volumes),
    ...(c.devices && { devices: c.devices }),
    features: agentFeatures(c.agent),
    shutdownError: () => c.nodeShutdown.shutdownError(),
    ...resourceAdmission(c),
    ...(reservedSystemCPUs && { reservedSystemCPUs }),
    recorder,
  };
}

/** Terminates pods by priority when the machine shuts down. */
export function nodeShutdown(c: Components): AgentParts['nodeShutdown'] {
  return createNodeShutdown({
    agent: c.agent,
    host: c.host,
    nodeName: c.agent.nodeName,
    activePods: () => c.node.activePods(),
    killPod: (pod, kill) => c.podWorkers.killPodNow(pod, kill),
    waitForUnmount: (pods, signal) => waitForAllPodsUnmount(c.volumes.manager, pods, signal),
    syncNodeStatus: async () => c.cluster?.node?.syncNodeStatus(),
    ...c.common,
  });
}

/** Admits pods and allocates their resources. */
export function allocation(c: Components): AgentParts['allocation'] {
  const { agent, eviction, standalone, cluster, nodeShutdown, resizes, resourceManagers } = c;
  const { cpuManagerPolicy, memoryManagerPolicy } = agent.resourceManagers ?? {};
  const { checkpoints } = c.host;
  return createAllocationManager({
    activePods: () => c.node.activePods(),
    nodeAllocatable: () => c.node.allocatable(),
    admitHandlers: [
      ...(eviction ? [eviction] : []),
      ...(agent.admitHandlers ?? []),
      ...(standalone
        ? [standalone.admitHandler]
        : (cluster?.node?.admitHandlers ?? (resourceManagers ? [resourceManagers.admitHandler] : []))),
      nodeShutdown,
      resizeAdmission(() => c.capabilities),
    ],
    ...(cpuManagerPolicy && { cpuManagerPolicy }),
    ...(memoryManagerPolicy && { memoryManagerPolicy }),
    actuatedPod: (pod) => c.capabilities.resizing.actuatedPod(pod),
    allSourcesReady: c.state.sources.areAllSeen,
    syncPod: (uid) => c.handler.syncPods([uid], 'Resize'),
    resizeStarted: resizes.begin,
    ...(checkpoints && { store: checkpoints.allocations }),
    ...c.common,
  });
}

/** The cgroups of the node and its pods; undefined if they are off, or if the host has no cgroups. */
export function containerManager(c: Components): AgentParts['containerManager'] {
  const { agent, host, settings } = c;
  const { cgroups } = host;
  if (!settings.cgroupsPerQOS || cgroups === undefined) return undefined;
  return createAgentContainerManager({
    agent,
    host: { ...host, cgroups },
    settings,
    runtime: agent.cri.runtime,
    activePods: () => c.node.activePods().map((pod) => c.allocation.updatePodFromAllocation(pod)),
    hasExclusiveCpus: (pod, container) =>
      combineHooks(c.resourceManagers?.hooks, agent.runtimeOptions).hasExclusiveCpus?.(pod, container) ?? false,
    signal: c.ended.signal,
    ...c.common,
  });
}

/** CPUs, memory and devices of single containers; undefined if no manager is on. */
export function resourceManagers(c: Components): AgentParts['resourceManagers'] {
  const { agent, host, devices } = c;
  const { resourceManagers: options = {}, rootDir, node = {}, cri } = agent;
  const inUse = managersInUse(options);
  if (inUse === undefined && devices === undefined) return undefined;
  if (inUse?.cpus && !c.settings.cgroupsPerQOS) {
    throw invalidOption(
      'resourceManagers.cpuManagerPolicy',
      'none, unless settings.cgroupsPerQOS is on: run as root with cgroups',
      'static',
    );
  }
  return createResourceManagers({
    options,
    inUse: inUse ?? { cpus: false, memory: false, topology: false },
    devices,
    rootDir,
    machineTopology: () => host.machineTopology(),
    async nodeAllocatableReservation() {
      const { systemReserved = {}, kubeReserved = {} } = node;
      const capacity = capacityOf(await host.machineResources());
      return formatResourceList(nodeReservation({ capacity, systemReserved, kubeReserved, evictionReserves: c.eviction?.reserves ?? [] }));
    },
    stateFile: (path) => host.stateFile(path),
    runtime: cri.runtime,
    activePods: () => c.node.activePods(),
    couldHaveRunningContainers: (uid) => c.podWorkers.couldHaveRunningContainers(uid),
    statusManager: c.statusManager,
    sourcesReady: c.state.sources.areAllSeen,
    signal: c.ended.signal,
    ...c.common,
  });
}

/** Reports OOM kills. */
export function oomWatcher({ agent, host, common }: Components): AgentParts['oomWatcher'] {
  const { recorder, logger }: CommonPorts = common;
  return createAgentOomWatcher({ nodeName: agent.nodeName, host, recorder, logger });
}

/** The HTTP API of the node. */
export function server({
  agent,
  host,
  settings,
  state,
  common,
  statusManager,
  runtime,
  capabilities,
  stats,
  syncLoop,
  devices,
}: Components): AgentParts['server'] {
  return createAgentServer({
    agent,
    host,
    podManager: state.podManager,
    statusManager,
    runtime,
    streaming: capabilities.streaming,
    stats: stats.provider,
    lastSyncLoopStep: syncLoop.lastStep,
    syncFrequencyMs: settings.syncFrequencyMs,
    devices,
    ...common,
  });
}
