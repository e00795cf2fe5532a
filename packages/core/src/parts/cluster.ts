import { settlesWithin } from '@nodeagent/api';
import { type ClusterContext, createClusterParts } from '../cluster/cluster.js';
import type { AgentParts, Components } from '../components.js';
import { agentFeatures } from '../options/agent-features.js';
import { admissionPorts } from './node/admission-ports.js';

/** The parts of an agent in a cluster; undefined without one. */
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
  const { agent, eviction, devices, common } = c;
  const { reservedSystemCPUs } = agent.resourceManagers ?? {};
  return {
    runtime: runtimeFacts(c),
    inventory: {
      version: () => c.inventory.version(),
      images: (signal) => c.inventory.images(signal),
    },
    ...admissionPorts(c),
    ...(eviction && { pressure: eviction, evictionReserves: eviction.reserves }),
    storageErrors: () => [c.volumeManager.notReadyReason?.()].filter((reason) => reason !== undefined),
    volumes: volumeFacts(c),
    ...(devices && { devices }),
    features: () => agentFeatures(agent, c.capabilities),
    shutdownError: () => c.nodeShutdown.shutdownError(),
    ...(reservedSystemCPUs && { reservedSystemCPUs }),
    recorder: common.recorder,
  };
}

function runtimeFacts(c: Components): ClusterContext['nodeContext']['runtime'] {
  return {
    errors: () => c.monitor.runtimeErrors(),
    networkErrors: () => [c.monitor.networkError()].filter((error) => error !== undefined),
    handlers: () => c.monitor.health()?.handlers ?? [],
    features: () => c.monitor.health()?.features,
    refresh: async (signal) => {
      const { clock } = c.common;
      await settlesWithin(c.monitor.refresh(), { clock, timeoutMs: c.settings.runtimeStatusPeriodMs, signal });
    },
  };
}

function volumeFacts(c: Components): ClusterContext['nodeContext']['volumes'] {
  const attaching = () => c.volumes.attaching;
  return {
    get hasSynced() {
      return attaching().reconcilerStatesHasBeenSynced();
    },
    volumesInUse: () => attaching().getVolumesInUse(),
    markVolumesAsReportedInUse: (names) => attaching().markVolumesAsReportedInUse(names),
  };
}
