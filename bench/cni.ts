import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPodNetworks, type PluginRunner } from '@nodeagent/cni';
import { createNetworkNamespaces, createNodeCni, createPluginRunner } from '@nodeagent/cni/node';

const pluginDir = '/usr/lib/cni';
const bridge = 'nodeagent-bench';
const rounds = 30;

/** The networks of pods on a bridge, one after the other and eight at once, and how much of their time the plugins' programs take. */
export async function benchCni(report: (line: string) => void): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync(join(pluginDir, 'bridge')))
    return report("cni: not measured, because it needs root and Debian's containernetworking-plugins");
  const work = mkdtempSync(join(tmpdir(), 'bench-cni-'));
  try {
    const bench = await prepare(work);
    await bench.pod('warm-up');
    report(`cni: set up and tear down a pod's network on a bridge: ${await bench.measure(1)}`);
    report(`cni: the same for 8 pods at once: ${await bench.measure(8)}`);
    await bench.stop();
  } finally {
    spawnSync('ip', ['link', 'delete', bridge]);
    rmSync(work, { recursive: true });
  }
}

async function prepare(work: string) {
  const configDir = join(work, 'net.d');
  mkdirSync(configDir);
  const ipam = { type: 'host-local', dataDir: join(work, 'leases'), ranges: [[{ subnet: '10.254.0.0/16' }]] };
  writeFileSync(join(configDir, '10.conf'), JSON.stringify({ cniVersion: '1.0.0', name: 'bench', type: 'bridge', bridge, ipam }));
  let pluginMs = 0;
  const runner = createPluginRunner({ pluginDirs: [pluginDir] });
  const plugins: PluginRunner = {
    ...runner,
    async run(call, signal) {
      const began = performance.now();
      try {
        return await runner.run(call, signal);
      } finally {
        pluginMs += performance.now() - began;
      }
    },
  };
  const cni = createNodeCni({ configDir, plugins, cacheDir: join(work, 'cache') });
  await cni.start();
  const networks = createPodNetworks({ cni, namespaces: createNetworkNamespaces({ prefix: 'nodeagent-bench-' }) });

  async function pod(containerId: string): Promise<void> {
    await networks.setUp({ containerId, pod: { namespace: 'bench', name: containerId, uid: containerId } });
    await networks.tearDown(containerId);
  }

  async function measure(parallel: number): Promise<string> {
    pluginMs = 0;
    const before = process.cpuUsage();
    const began = performance.now();
    const worker = async (number: number) => {
      for (let round = 0; round < rounds; round++) await pod(`c${number}-${round}`);
    };
    await Promise.all(Array.from({ length: parallel }, (_, number) => worker(number)));
    const count = rounds * parallel;
    const { user, system } = process.cpuUsage(before);
    const each = (ms: number) => `${(ms / count).toFixed(1)} ms`;
    return `${each(performance.now() - began)} a pod, plugins ${each(pluginMs)}, CPU of this process ${each((user + system) / 1000)}`;
  }

  return { pod, measure, stop: () => cni.stop() };
}
