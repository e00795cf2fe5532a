import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPodNetworks, type PodNetworks } from '@nodeagent/cni';
import { createNetworkNamespaces, createNodeCni } from '@nodeagent/cni/node';
import { type TestNetwork, takeNetwork } from '../containerd/test-network.js';

/** Debian's containernetworking-plugins. */
export const cniPluginDir = '/usr/lib/cni';
export const hasCniPlugins = () => existsSync(join(cniPluginDir, 'bridge'));

/** Folders of a test's network, which a process of the test gets as its argument. */
export interface PodNetworkFolders {
  work: string;
  /** Begins the names of the network namespaces. */
  prefix: string;
  /** The plugins of Debian. */
  pluginDir: string;
}

const folderOf = ({ work }: PodNetworkFolders, name: string) => join(work, name);

/** The manager of the networks in these folders, new as after a restart. */
export async function openPodNetworks(folders: PodNetworkFolders) {
  const cni = createNodeCni({
    configDir: folderOf(folders, 'net.d'),
    pluginDirs: [folderOf(folders, 'plugins'), folders.pluginDir],
    cacheDir: folderOf(folders, 'cache'),
  });
  await cni.start();
  const networks: PodNetworks = createPodNetworks({ cni, namespaces: createNetworkNamespaces({ prefix: folders.prefix }) });
  return { cni, networks };
}

/** A bridge with addresses of both families, host ports and bandwidth, by the plugins of Debian; and what is left of it on the machine. */
export async function makeTestPodNetwork({
  cniVersion = '1.0.0',
  pluginDir = cniPluginDir,
  ipMasq = true,
  extraPlugins = (_work: string): object[] => [],
} = {}) {
  const network: TestNetwork = await takeNetwork();
  const folders: PodNetworkFolders = { work: mkdtempSync(join(tmpdir(), 'nodeagent-cni-')), prefix: `${network.bridge}-`, pluginDir };
  const name = `${network.bridge}net`;
  for (const folder of ['net.d', 'plugins']) mkdirSync(folderOf(folders, folder));
  const configuration = folderOf(folders, 'net.d/10-test.conflist');
  const leases = folderOf(folders, 'leases');
  const ranges = [network.subnet, `fd00:${200 + network.number}::/64`].map((subnet) => [{ subnet }]);
  const ipam = { type: 'host-local', dataDir: leases, ranges, routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }] };
  const plugins = [
    { type: 'bridge', bridge: network.bridge, isGateway: true, ipMasq, hairpinMode: true, ipam },
    ...extraPlugins(folders.work),
    { type: 'portmap', capabilities: { portMappings: true } },
    { type: 'bandwidth', capabilities: { bandwidth: true } },
  ];
  writeFileSync(configuration, JSON.stringify({ cniVersion, name, plugins }));

  const lines = (command: string, args: string[]) => spawnSync(command, args, { encoding: 'utf8' }).stdout.split('\n');
  const foldersIn = (path: string) => (existsSync(path) ? readdirSync(path) : []);
  return {
    folders,
    network,
    configuration,
    /** Everything of the network's pods: interfaces, rules, leases, namespaces, cache entries. */
    leftovers: () => ({
      interfaces: lines('ip', ['-brief', 'link', 'show', 'master', network.bridge]).filter((line) => line !== ''),
      shapers: lines('ip', ['-brief', 'link', 'show', 'type', 'ifb']).filter((line) => line.startsWith('bwp')),
      rules: ['iptables-save', 'ip6tables-save'].flatMap((save) => lines(save, ['-t', 'nat']).filter((line) => line.includes(name))),
      leases: foldersIn(join(leases, name)).filter((file) => !/^(lock|last_reserved_ip\.\d)$/.test(file)),
      namespaces: foldersIn('/run/netns').filter((file) => file.startsWith(folders.prefix)),
      attachments: ['results', 'attempts'].flatMap((folder) => foldersIn(folderOf(folders, `cache/${folder}`))),
    }),
    async cleanUp() {
      const { cni, networks } = await openPodNetworks(folders);
      await networks.recover(() => false);
      await cni.stop();
      spawnSync('ip', ['link', 'delete', network.bridge]);
      rmSync(folders.work, { recursive: true, force: true });
      network.giveBack();
    },
  };
}

export const nothingLeft = { interfaces: [], shapers: [], rules: [], leases: [], namespaces: [], attachments: [] };

/** Runs JavaScript in a network namespace; resolves to what it printed. */
export async function runIn(netns: string, script: string, signal?: AbortSignal): Promise<string> {
  const args = [`--net=${netns}`, '--', process.execPath, '-e', script];
  const { stdout } = await promisify(execFile)('nsenter', args, { timeout: 30_000, ...(signal && { signal }) });
  return stdout.trim();
}
