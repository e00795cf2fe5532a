import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Node, Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { createMemoryFiles, createMemoryPodDirs, createNodeAgent, joinCluster } from '@nodeagent/core/node';
import { createInProcessTransport, createKubeClient } from '@nodeagent/kube-client';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';

const root = fileURLToPath(new URL('..', import.meta.url));
const pods = 100;
const hourMs = 3_600_000;

/** An agent that joined the API server in memory, in virtual time; the CPU is that of both. */
export async function benchClusterMember(report: (line: string) => void): Promise<void> {
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock });
  const calls: string[] = [];
  const transport = createInProcessTransport({
    handle(request) {
      calls.push(`${request.method} ${request.url.replace(/\?.*/, '')}`);
      return server.handle({ ...request, headers: { ...request.headers } });
    },
  });
  const client = createKubeClient({ cluster: { server: 'http://bench' }, transport, clock, qps: 0 });
  const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-bench-'));
  const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 0 });
  const files = createMemoryFiles();
  const agent = createNodeAgent({
    nodeName: 'bench',
    rootDir,
    sources: [],
    cluster: await joinCluster({ client, heartbeats: client, rootDir, hostname: 'bench' }),
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    host: { files, podDirs: createMemoryPodDirs(files) },
    settings: { resolvConf: '' },
  });
  try {
    await agent.start();
    // The machine's facts come from real files and the network.
    while (server.objects.get<Node>('nodes', 'bench') === undefined) {
      await sleep(5);
      await clock.advance(20);
    }
    await clock.advance(30_000);
    calls.length = 0;
    const before = process.cpuUsage();
    const spec = { nodeName: 'bench', containers: [{ name: 'main', image: 'app:1' }] };
    for (let i = 0; i < pods; i++) server.objects.create<Pod>({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${i}` }, spec });
    await clock.until(() => server.objects.list<Pod>('pods').every(isPodReady));
    await clock.advance(30_000);
    report(`cluster start of ${pods} pods, CPU with the API server: ${seconds(before).toFixed(2)} s`);
    const each = (pattern: RegExp) => (calls.filter((call) => pattern.test(call)).length / pods).toFixed(2);
    report(`cluster status patches per pod start: ${each(/^PATCH .*\/pods\/[^/]+\/status$/)}`);
    report(`cluster event writes per pod start: ${each(/ .*\/events/)}`);

    await clock.advance(300_000);
    calls.length = 0;
    const idle = process.cpuUsage();
    await clock.advance(hourMs);
    const cpu = seconds(idle);
    report(
      `cluster idle with ${pods} pods for an hour, CPU with the API server: ${cpu.toFixed(2)} s (${(cpu / 36).toFixed(3)} % of a core)`,
    );
    report(`cluster idle with ${pods} pods for an hour, requests: ${calls.length}`);
    await agent.stop();
  } finally {
    await server.close();
    rmSync(rootDir, { recursive: true, force: true });
  }
}

/** The built `nodeagent run --kubeconfig` as a separate process, without pods, and the same without a cluster. */
export async function benchClusterProcess(report: (line: string) => void): Promise<void> {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--no-types'], { stdio: 'ignore' });
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-bench-'));
  const server = createTestApiServer({ network: machineNetwork });
  try {
    await server.listen({ tls: true });
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig({ user: { username: 'system:node:bench', groups: ['system:nodes'] } }));
    report(`nodeagent run without a cluster, RSS: ${(await rssOf(['--manifests', folder], folder)).toFixed(1)} MiB`);
    const joined = await rssOf(['--kubeconfig', kubeconfig, '--node-name', 'bench'], folder);
    if (server.objects.get('nodes', 'bench') === undefined) throw new Error('the agent did not join');
    report(`nodeagent run --kubeconfig, RSS: ${joined.toFixed(1)} MiB`);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rssOf(args: readonly string[], folder: string): Promise<number> {
  const all = [join(root, 'packages/cli/dist/bin.js'), 'run', ...args, '--root-dir', join(folder, 'root'), '--output', 'log'];
  const agent: ChildProcess = spawn(process.execPath, all, { stdio: 'ignore' });
  try {
    await sleep(15_000);
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1]) / 1024;
  } finally {
    agent.kill('SIGTERM');
    await once(agent, 'exit');
  }
}

function seconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
