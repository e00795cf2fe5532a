import type { MachineTopology, TopologyHintProvider } from '@nodeagent/api';
import type { TopologyManager } from '@nodeagent/topology-manager';
import type { AgentResourceManagers } from '../../options/resource-managers.js';
import { managerPackages } from './manager-packages.js';
import { namingOptions } from './naming-options.js';
import type { ManagerContext } from './node-at-start.js';

/** The hint providers in the order in which they assign resources, which is the kubelet's. */
export interface HintProviders {
  devices?: TopologyHintProvider | undefined;
  cpus?: TopologyHintProvider | undefined;
  memory?: TopologyHintProvider | undefined;
}

/** The topology manager of an agent. Throws `InvalidOption` naming an option of the agent. */
export async function createAgentTopologyManager(
  { topologyManagerPolicy, topologyManagerScope, topologyManagerPolicyOptions }: AgentResourceManagers,
  { devices, cpus, memory }: HintProviders,
  { topology, clock, logger, metrics }: Pick<ManagerContext, 'clock' | 'logger' | 'metrics'> & { topology: MachineTopology },
): Promise<TopologyManager> {
  const { createTopologyManager } = await managerPackages.topology();
  return namingOptions(optionNames, () =>
    createTopologyManager({
      ...(topologyManagerPolicy && { policy: topologyManagerPolicy }),
      ...(topologyManagerScope && { scope: topologyManagerScope }),
      ...(topologyManagerPolicyOptions && { policyOptions: topologyManagerPolicyOptions }),
      topology,
      providers: { ...(devices && { devices }), ...(cpus && { cpus }), ...(memory && { memory }) },
      clock,
      logger,
      metrics,
    }),
  );
}

const optionNames = { policyOptions: 'topologyManagerPolicyOptions', policy: 'topologyManagerPolicy', scope: 'topologyManagerScope' };
