import type { TopologyHintProvider } from '@nodeagent/api';
import type { TopologyManager } from '@nodeagent/topology-manager';
import type { Components } from '../../components.js';
import { managerPackages } from './manager-packages.js';
import { namingOptions } from './naming-options.js';
import type { NodeAtStart } from './node-at-start.js';

/** The hint providers in the order in which they assign resources, which is the kubelet's. */
export interface HintProviders {
  devices?: TopologyHintProvider | undefined;
  cpus?: TopologyHintProvider | undefined;
  memory?: TopologyHintProvider | undefined;
}

/** Throws `InvalidOption` naming an option of the agent. */
export async function createTopology(
  { agent, common }: Components,
  { topology }: NodeAtStart,
  { devices, cpus, memory }: HintProviders,
): Promise<TopologyManager> {
  const { topologyManagerPolicy, topologyManagerScope, topologyManagerPolicyOptions } = agent.resourceManagers ?? {};
  const { createTopologyManager } = await managerPackages.topology();
  return namingOptions(optionNames, () =>
    createTopologyManager({
      ...(topologyManagerPolicy && { policy: topologyManagerPolicy }),
      ...(topologyManagerScope && { scope: topologyManagerScope }),
      policyOptions: topologyManagerPolicyOptions,
      topology,
      providers: { ...(devices && { devices }), ...(cpus && { cpus }), ...(memory && { memory }) },
      ...common,
    }),
  );
}

const optionNames = { policyOptions: 'topologyManagerPolicyOptions', policy: 'topologyManagerPolicy', scope: 'topologyManagerScope' };
