import type { Clock, Logger } from '@nodeagent/api';
import { isCompleteHost, requireHostMembers } from '../host/complete-host.js';
import { knownResources, knownTopology } from '../host/known-machine.js';
import { memoryFiles, memoryFolders } from '../host/memory-host.js';
import type { HostMachine, NodeHost } from '../host/node-host.js';
import type { AgentOptions } from '../options/agent-options.js';
import { createHostAddresses, readMachineFacts } from './machine-facts.js';
import { localFiles, localFolders, localMachine, localNetwork, type MachineHostOptions, readResolvConf } from './machine-host.js';

/** What the host of an agent depends on. */
export interface AgentHostOptions extends Pick<AgentOptions, 'rootDir' | 'cri'> {
  host?: Partial<NodeHost>;
  clock: Clock;
  logger: Logger;
}

/**
 * The host of an agent: that of the options if it is complete, else this machine with the members of the options. Given files drop this
 * machine's checkpoints, disks, cgroups, kubelets and kernel log; given directories drop its mounts and stats. Throws `InvalidOption` for an
 * unknown member.
 */
export function agentHost({ host = {}, ...own }: AgentHostOptions): NodeHost {
  if (isCompleteHost(host)) return host;
  requireHostMembers(host);
  const { files, podDirs, cgroups } = host;
  return {
    ...machineOf(host, own),
    ...(files ? memoryFiles(files) : localFiles(own)),
    ...(podDirs ? memoryFolders(podDirs) : localFolders(own)),
    ...localNetwork,
    ...(cgroups && { kubelets: () => [] }),
    ...host,
  };
}

/** The given facts, else those of this machine. Resources are read only with the files and facts of this machine. */
function machineOf({ files, machine }: Partial<NodeHost>, own: MachineHostOptions & { clock: Clock }): HostMachine {
  if (files === undefined && machine === undefined) return localMachine(own);
  const facts = machine ?? readMachineFacts();
  return {
    machine: facts,
    machineResources: async () => knownResources(facts),
    machineTopology: machine === undefined ? localMachine(own).machineTopology : async () => knownTopology(facts),
    readResolvConf,
    addresses: createHostAddresses(own.clock),
  };
}
