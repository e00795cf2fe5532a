import { checkOptionNames, invalidOption, type OptionNames } from '@nodeagent/api';
import { exceptOnMachine } from './except-on-machine.js';
import type { NodeHost } from './node-host.js';

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
  probeNetwork: 'optional',
  hookHttpGet: 'optional',
  runProbe: 'optional',
} as const satisfies { [K in keyof Required<NodeHost>]: object extends Pick<NodeHost, K> ? 'optional' : 'required' };

const memberNames = Object.fromEntries(Object.keys(members).map((name) => [name, true])) as OptionNames<NodeHost>;

const missingMembers = (host: Partial<NodeHost>): string[] =>
  Object.entries(members).flatMap(([name, kind]) => (kind === 'required' && !(name in host) ? [name] : []));

/** Whether the host has all members that a host must have. */
export const isCompleteHost = (host: Partial<NodeHost>): host is NodeHost => missingMembers(host).length === 0;

/** Throws `InvalidOption` for a member that a host does not have. */
export const requireHostMembers = (host: Partial<NodeHost>): void => checkOptionNames('createNodeAgent', { host }, { host: memberNames });

/** Throws `InvalidOption` for a host that is absent or lacks members. */
export function requireCompleteHost(host: Partial<NodeHost> | undefined): asserts host is NodeHost {
  const missing = missingMembers(host ?? {});
  if (missing.length === 0) return;
  const lack = host === undefined ? '' : ` (it lacks ${missing.join(', ')})`;
  throw invalidOption('host', `a complete NodeHost such as memoryHost()${lack}, ${exceptOnMachine}, whose host is this machine`, host);
}
