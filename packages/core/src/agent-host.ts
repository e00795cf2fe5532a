import { type Clock, checkOptionNames, type Logger, type OptionNames } from '@nodeagent/api';
import { knownTopology } from './host/known-topology.js';
import { createHostAddresses, readMachineFacts } from './host/machine.js';
import { knownResources, localFiles, localFolders, localMachine, type MachineHostOptions, readResolvConf } from './host/machine-host.js';
import { memoryFiles, memoryFolders } from './host/memory-host.js';
import type { HostMachine, NodeHost } from './host/node-host.js';
import type { AgentOptions } from './options/agent-options.js';

/**
 * The host of an agent: that of the options if it is complete, else this machine with the members of the options. Given files drop this
 * machine's checkpoints, disks, cgroups, kubelets and kernel log; given directories drop its mounts and stats. Throws `InvalidOption` for an
 * unknown member.
 */
export function agentHost(agent: Pick<AgentOptions, 'rootDir' | 'cri' | 'host'>, ports: { clock: Clock; logger: Logger }): NodeHost {
  const { rootDir, cri, host = {} } = agent;
  if (isComplete(host)) return host;
  checkOptionNames('createNodeAgent', { host }, { host: memberNames });
  const { files, podDirs, cgroups } = host;
  const own = { rootDir, cri, ...ports };
  return {
    ...machineOf(host, own),
    ...(files ? memoryFiles(files) : localFiles(own)),
    ...(podDirs ? memoryFolders(podDirs) : localFolders(own)),
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

/** The members of a host; `required`: a host without one is not complete. */
const members = {
  machine: 'required',
  machineResources: 'required',
  machineTopology: 'required',
  readResolvConf: 'optional',
  addresses: 'required',
  files: 'required',
  checkpoints: 'optional',
  stateFile: 'required',
  logFiles: 'optional',
  logSource: 'optional',
  imageFsStats: 'optional',
  fileSystems: 'optional',
  cgroups: 'optional',
  kubelets: 'optional',
  kernelSettings: 'optional',
  setOomScoreAdj: 'optional',
  kernelLog: 'optional',
  loadShutdown: 'optional',
  podDirs: 'required',
  createVolumes: 'required',
  createStats: 'optional',
  devicePlugins: 'optional',
  runProbe: 'optional',
} as const satisfies { [K in keyof Required<NodeHost>]: object extends Pick<NodeHost, K> ? 'optional' : 'required' };

const memberNames = Object.fromEntries(Object.keys(members).map((name) => [name, true])) as OptionNames<NodeHost>;

const isComplete = (host: Partial<NodeHost>): host is NodeHost =>
  Object.entries(members).every(([name, kind]) => kind === 'optional' || name in host);
