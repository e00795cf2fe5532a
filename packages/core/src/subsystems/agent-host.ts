import { type Clock, invalidOption, type Logger } from '@nodeagent/api';
import { createHostAddresses, readMachineFacts } from '../host/machine.js';
import { knownResources, type MachineHostOptions, ownFiles, ownFolders, ownMachine, readResolvConf } from '../host/machine-host.js';
import { memoryFiles, memoryFolders } from '../host/memory-host.js';
import type { HostMachine, NodeHost } from '../host/node-host.js';
import type { AgentObjects, AgentOptions } from '../options/agent-options.js';

/**
 * The host of an agent: `parts.host`, else this machine with the single `parts` that replace something of it. Files and folders that are
 * replaced come without what belongs to those of this machine: checkpoints, disks and the kernel log; mounts and stats.
 * Throws `InvalidOption` if a part would replace something of a host of the caller's.
 */
export function agentHost(agent: Pick<AgentOptions, 'rootDir' | 'cri' | 'parts'>, ports: { clock: Clock; logger: Logger }): NodeHost {
  const { rootDir, cri, parts = {} } = agent;
  const { host, files, podDirs, logFiles, imageFsStats, kernelLog } = parts;
  if (host) return unmixed(host, parts);
  const own = { rootDir, cri, ...ports };
  return {
    ...machineOf(parts, own),
    ...(files ? memoryFiles(files) : ownFiles(own)),
    ...(podDirs ? memoryFolders(podDirs) : ownFolders(own)),
    ...(logFiles && { logFiles }),
    ...(imageFsStats && { imageFsStats }),
    ...(kernelLog && { kernelLog }),
  };
}

/** The facts of the options, else of this machine. Only an agent with the files and facts of this machine reads its resources. */
function machineOf({ files, machine }: AgentObjects, own: MachineHostOptions & { clock: Clock }): HostMachine {
  if (files === undefined && machine === undefined) return ownMachine(own);
  const facts = machine ?? readMachineFacts();
  return { machine: facts, machineResources: async () => knownResources(facts), readResolvConf, addresses: createHostAddresses(own.clock) };
}

const ofTheHost = ['files', 'podDirs', 'logFiles', 'imageFsStats', 'kernelLog', 'machine'] as const;

function unmixed(host: NodeHost, parts: AgentObjects): NodeHost {
  for (const name of ofTheHost) {
    if (parts[name] !== undefined) throw invalidOption(`parts.${name}`, 'absent beside parts.host, which has its own', parts[name]);
  }
  return host;
}
