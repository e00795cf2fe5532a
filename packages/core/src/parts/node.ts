import { activePods } from '@nodeagent/allocation';
import type { Node } from '@nodeagent/api';
import type { Components } from '../components.js';
import type { NodeFacts } from './node/node-facts.js';

/** Reads from the options, the cluster's Node or the host, in this order, at each call. */
export function createNodeFacts(c: Components): NodeFacts {
  const { agent, host, state } = c;
  const { cpus, memoryBytes } = host.machine;
  const current = () => c.cluster?.node?.current();
  return {
    hostIps: () => agent.parts?.hostIps ?? internalAddresses(current()) ?? host.addresses(),
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
