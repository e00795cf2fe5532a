import { parseArgs } from 'node:util';
import type { AssetOptions } from '../assets/write-assets.js';

export const usage = `Makes a folder for KUBEBUILDER_ASSETS with stand-ins of kube-apiserver, etcd and kubectl, or refreshes it, and prints its path:

  export KUBEBUILDER_ASSETS=$(npx @nodeagent/envtest)

usage: envtest [flags]

  --dir FOLDER        the folder (default: one in the user's cache for each choice of the flags below)
  --with-nodes N      run pods on N simulated nodes; includes --with-controllers
  --with-controllers  run a scheduler and the controllers of Deployments and other workloads
  --help              print this text
  --version           print the version
`;

/** What the arguments ask for. Throws an Error with a message for the user. */
export function parseFlags(args: readonly string[]): AssetOptions | 'help' | 'version' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dir: { type: 'string' },
      'with-nodes': { type: 'string' },
      'with-controllers': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const { dir, 'with-nodes': nodes, 'with-controllers': controllers } = values;
  if (values.help) return 'help';
  if (values.version) return 'version';
  if (nodes !== undefined && !/^[1-9]\d{0,3}$/.test(nodes)) throw new Error(`--with-nodes must be a number from 1 to 9999, not "${nodes}"`);
  return {
    ...(dir !== undefined && { folder: dir }),
    ...(nodes !== undefined && { nodes: Number(nodes) }),
    ...(controllers && { controllers }),
  };
}
