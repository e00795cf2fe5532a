import { activePods } from '@nodeagent/allocation';
import type { Node, Pod, ResourceList } from '@nodeagent/api';
import type { AgentParts, Components } from '../components.js';

/** Facts about the node that the agent's parts read. */
export interface NodeFacts {
  /** The node's addresses, the primary one first. */
  hostIps(): readonly string[];
  /** Allocatable resources. */
  allocatable(): ResourceList;
  /** The pods that use allocatable resources. */
  activePods(): Pod[];
}

/** Reads from the options, the cluster's Node or the host, in this order, at each call. */
export function node(c: Components): AgentParts['node'] {
  const { agent, host, state } = c;
  const { cpus, memoryBytes } = host.machine;
  const current = () => c.cluster?.node?.current();
  return {
    hostIps: () => agent.hostIps ?? internalAddresses(current()) ?? host.addresses(),
    allocatable: () =>
      agent.nodeAllocatable?.() ??
      c.standalone?.allocatable() ??
      current()?.status?.allocatable ?? { cpu: `${cpus}`, memory: `${memoryBytes}` },
    activePods: () => activePods({ desiredPods: () => state.podManager.pods(), podWorkers: c.podWorkers, statusManager: c.statusManager }),
  };
}

/** The addresses of type InternalIP; undefined without any. */
function internalAddresses(node: Node | undefined): string[] | undefined {
  const addresses = node?.status?.addresses?.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  return addresses?.length ? addresses : undefined;
}
