import { type Clock, invalidOption, type Logger } from '@nodeagent/api';
import { knownTopology } from './host/known-topology.js';
import { createHostAddresses, readMachineFacts } from './host/machine.js';
import { knownResources, localFiles, localFolders, localMachine, type MachineHostOptions, readResolvConf } from './host/machine-host.js';
import { memoryFiles, memoryFolders } from './host/memory-host.js';
import type { HostMachine, NodeHost } from './host/node-host.js';
import type { AgentObjects, AgentOptions } from './options/agent-options.js';

/**
 * The host of an agent: `parts.host`, else this machine with the single `parts` that replace members of it. Replaced files drop this
 * machine's checkpoints, disks, cgroups, kubelets and kernel log; replaced directories drop its mounts and stats. Throws `InvalidOption` for a single part in
 * addition to `parts.host`.
 */
export function agentHost(agent: Pick<AgentOptions, 'rootDir' | 'cri' | 'parts'>, ports: { clock: Clock; logger: Logger }): NodeHost {
  const { rootDir, cri, parts = {} } = agent;
  const { host, files, podDirs, checkpoints, logFiles, imageFsStats, cgroups, kernelLog } = parts;
  if (host) return unmixed(host, parts);
  const own = { rootDir, cri, ...ports };
  return {
    ...machineOf(parts, own),
    ...(files ? memoryFiles(files) : localFiles(own)),
    ...(podDirs ? memoryFolders(podDirs) : localFolders(own)),
    ...(checkpoints && { checkpoints }),
    ...(logFiles && { logFiles }),
    ...(imageFsStats && { imageFsStats }),
    ...(cgroups && { cgroups, kubelets: () => [] }),
    ...(kernelLog && { kernelLog }),
  };
}

/** The facts of the options, else of this machine. Resources are read only with the files and facts of this machine. */
function machineOf({ files, machine }: AgentObjects, own: MachineHostOptions & { clock: Clock }): HostMachine {
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

const ofTheHost = ['files', 'podDirs', 'checkpoints', 'logFiles', 'imageFsStats', 'cgroups', 'kernelLog', 'machine'] as const;

function unmixed(host: NodeHost, parts: AgentObjects): NodeHost {
  for (const name of ofTheHost) {
    if (parts[name] !== undefined) throw invalidOption(`parts.${name}`, 'absent if parts.host is set, which has its own', parts[name]);
  }
  return host;
}
