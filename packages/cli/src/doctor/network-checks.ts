import { installCommand } from '../machine/distribution.js';
import { defaultNetworkPlugins } from '../machine/runtime-facts.js';
import { defaultBridge } from '../oci/default-network.js';
import { type Check, failed, ok, warning } from './check.js';

/** The kubelet's HTTP API and its health endpoint. */
const agentPorts = [10_250, 10_248];

export const networkChecks: readonly Check[] = [
  {
    name: 'CNI plugins',
    run({ cniPlugins, cniPluginDirs, usesDefaultNetwork, distribution }) {
      const missing = usesDefaultNetwork ? defaultNetworkPlugins.filter((name) => !cniPlugins.includes(name)) : [];
      const install = installCommand(distribution, ['CNI plugins']);
      if (missing.length > 0) return failed(`${missing.join(' and ')} not found`, install);
      return cniPlugins.length === 0 ? failed('none found', install) : ok(`${cniPlugins.length} in ${cniPluginDirs.join(' and ')}`);
    },
  },
  {
    name: 'CNI configuration',
    run({ networks }) {
      const invalid = networks.filter(({ problem }) => problem !== undefined).map(({ file, problem }) => `${file}: ${problem}`);
      const [first] = networks.filter(({ problem }) => problem === undefined);
      if (first !== undefined) return ok(`${first.file}${invalid.length > 0 ? `; skipped ${invalid.join('; ')}` : ''}`);
      if (invalid.length > 0)
        return failed(`no valid one: ${invalid.join('; ')}`, 'repair the file, or remove it to use the default network');
      return ok(`none: pods without a cluster are on the bridge ${defaultBridge}`);
    },
  },
  {
    name: 'ports',
    run({ ports }) {
      const used = agentPorts.filter((port) => ports.includes(port));
      if (used.length === 0) return ok(`${agentPorts.join(' and ')} are free`);
      return warning(
        `${used.join(' and ')} in use: an agent in a cluster listens there`,
        'stop that process, or set --port and --healthz-port',
      );
    },
  },
  {
    name: 'kubelet',
    run({ kubeletPid }) {
      if (kubeletPid === undefined) return ok('none runs here');
      return warning(`process ${kubeletPid} is a kubelet`, 'stop it, or give the agent another --cgroup-root and --root-dir');
    },
  },
];
