import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createCriClient } from '@nodeagent/cri-client';
import { startContainerd } from '../tests/support/containerd/containerd.js';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { missingOciPrograms } from '../tests/support/oci/provide-oci-programs.js';
import { testImage } from '../tests/support/runtimes/private-runtime.js';
import { daemonOf } from './beside-kubelet/bench-runtime.js';
import { accountProcesses, canAccount } from './oci-runtime/accounted-processes.js';
import type { Round } from './oci-runtime/round.js';

const serve = fileURLToPath(new URL('./oci-runtime/serve.ts', import.meta.url));
const pods = Number(process.env.NODEAGENT_BENCH_PODS ?? 60);
/** The first warms up. */
const rounds = 3;
const cgroupParent = '/nodeagent-bench';

/** A runtime that is measured. */
interface Runtime {
  name: string;
  endpoint: string;
  /** Its daemon. */
  pid: number;
  cleanup(): Promise<unknown>;
}

/**
 * Pods of one container from an image on the OCI runtime and on containerd, by turns, without an agent: all started at once, then stopped and removed. CPU and
 * memory are those of the runtime with all its programs and monitors.
 */
export async function benchOciRuntime(report: (line: string) => void): Promise<void> {
  const containerd = provideContainerd(false).found.at(-1);
  const missing = process.getuid?.() !== 0 ? ['root'] : [...missingOciPrograms(), ...(canAccount ? [] : ['cgroup v1 with cpuacct'])];
  if (missing.length > 0) return report(`oci-runtime: not measured, because this machine lacks ${missing.join(', ')}`);
  const runtimes = [await openOciRuntime()];
  if (containerd !== undefined) {
    const { name, endpoint, cleanup } = await startContainerd(containerd);
    runtimes.push({ name, endpoint, pid: daemonOf(endpoint), cleanup });
  }
  try {
    const results = new Map<string, Round[]>(runtimes.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const runtime of runtimes) results.get(runtime.name)?.push(await measure(runtime));
    }
    for (const [name, measured] of results) {
      const best = (of: keyof Round) => Math.min(...measured.slice(1).map((each) => each[of]));
      const line = (what: string, value: string) => report(`oci-runtime, ${pods} pods on ${name}, ${what}: ${value}`);
      line('wall to start', `${best('startWall').toFixed(2)} s`);
      line('CPU to start', `${best('startCpu').toFixed(2)} s`);
      line('wall to stop and remove', `${best('stopWall').toFixed(2)} s`);
      line('CPU to stop and remove', `${best('stopCpu').toFixed(2)} s`);
      line('memory', `${best('memory').toFixed(1)} MiB in ${best('processes')} processes`);
    }
  } finally {
    for (const { cleanup } of runtimes) await cleanup();
  }
}

async function openOciRuntime(): Promise<Runtime> {
  const child = spawn(process.execPath, ['--import', 'tsx', serve], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const cleanup = () => {
    child.stdin.end();
    return once(child, 'exit');
  };
  return { name: 'the OCI runtime', endpoint: String(line).trim(), pid: child.pid ?? 0, cleanup };
}

async function measure({ endpoint, pid }: Runtime): Promise<Round> {
  const client = createCriClient({ endpoint });
  const group = accountProcesses(`nodeagent-bench-${pid}`, [pid]);
  const took = async (work: () => Promise<unknown>): Promise<[wall: number, cpu: number]> => {
    const [wall, cpu] = [performance.now(), group.cpuSeconds()];
    await work();
    return [(performance.now() - wall) / 1_000, group.cpuSeconds() - cpu];
  };
  const numbers = Array.from({ length: pods }, (_, index) => index);
  const ids: string[] = [];
  try {
    const [startWall, startCpu] = await took(() => Promise.all(numbers.map(async (index) => ids.push(await runPod(client, index)))));
    const [memory, processes] = [group.memoryMib(), group.count()];
    const [stopWall, stopCpu] = await took(() =>
      Promise.all(
        ids.map(async (podSandboxId) => {
          await client.runtime.stopPodSandbox({ podSandboxId });
          await client.runtime.removePodSandbox({ podSandboxId });
        }),
      ),
    );
    return { startWall, startCpu, stopWall, stopCpu, memory, processes };
  } finally {
    group.end();
    await client.close();
  }
}

async function runPod({ runtime }: ReturnType<typeof createCriClient>, index: number): Promise<string> {
  const metadata = { name: `bench-${index}`, namespace: 'default', uid: `bench-${index}`, attempt: 0 };
  const linux = { cgroupParent: `${cgroupParent}/${index}`, securityContext: { namespaceOptions: { pid: 'CONTAINER' } } } as const;
  const sandboxConfig = { metadata, hostname: `bench-${index}`, logDirectory: `/tmp/nodeagent-bench/${index}`, linux };
  const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
  const config = {
    metadata: { name: 'main', attempt: 0 },
    image: { image: testImage },
    command: ['sleep', '1000'],
    logPath: 'main.log',
    linux: { securityContext: linux.securityContext },
  };
  const { containerId } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
  await runtime.startContainer({ containerId });
  return podSandboxId;
}
