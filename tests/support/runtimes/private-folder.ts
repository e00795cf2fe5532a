import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestNetwork, takeNetwork } from '../containerd/test-network.js';
import type { RuntimeOptions } from './private-runtime.js';
import { removeRuntime } from './remove-runtime.js';

/** What each runtime of a test needs. */
export interface PrivateFolder {
  /** The folder of its socket, its configuration, and of `root`, which has its state. */
  work: string;
  /** The folder of the CNI configuration. */
  network: string;
  /** Kills what runs of the runtime, and removes the folder and the network. */
  release(): Promise<void>;
}

/** Folders of runtimes by the number of their network, so that the next holder of the network finds what a killed run left. */
const folders = '/var/lib/nodeagent-e2e';

export async function makePrivateFolder({ rootBytes, networks }: RuntimeOptions = {}): Promise<PrivateFolder> {
  const network = await takeNetwork(networks);
  const { bridge } = network;
  const work = join(folders, `${network.number}`);
  await removeRuntime({ work, bridge });
  const root = join(work, 'root');
  mkdirSync(root, { recursive: true });
  if (rootBytes !== undefined) {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${rootBytes}`, 'runtime', root], { encoding: 'utf8' });
    if (mounted.status !== 0) throw new Error(`mount of a file system for a runtime: ${mounted.stderr}`);
  }
  const cni = join(work, 'cni');
  mkdirSync(cni);
  writeFileSync(join(cni, '10-test.conflist'), networkConfiguration(work, network));
  return {
    work,
    network: cni,
    async release() {
      await removeRuntime({ work, bridge });
      network.giveBack();
    },
  };
}

/** A bridge with host ports. */
const networkConfiguration = (work: string, { bridge, subnet }: TestNetwork) =>
  JSON.stringify({
    cniVersion: '0.4.0',
    name: bridge,
    plugins: [
      {
        type: 'bridge',
        bridge,
        isGateway: true,
        ipMasq: false,
        ipam: {
          type: 'host-local',
          dataDir: join(work, 'ipam'),
          ranges: [[{ subnet }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });
