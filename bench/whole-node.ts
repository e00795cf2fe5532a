import { setTimeout as sleep } from 'node:timers/promises';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { kubeletBinary } from '../tests/support/kubelet/kubelet-process.js';
import { missingOciPrograms } from '../tests/support/oci/provide-oci-programs.js';
import { type BenchNodeOptions, startBenchNode, type Took } from './beside-kubelet/bench-node.js';
import { type AccountedProcesses, accountProcesses, canAccount } from './oci-runtime/accounted-processes.js';
import type { Round } from './oci-runtime/round.js';

const pods = Number(process.env.NODEAGENT_BENCH_PODS ?? 60);
/** The first warms up. */
const rounds = 3;
const settleMs = 5_000;

/**
 * Nodes one after the other, each a member of a cluster, with pods of one container: a kubelet (its path is in `NODEAGENT_KUBELET`) on containerd, `nodeagent run`
 * on the same, and `nodeagent run` with its OCI runtime. CPU and memory are those of all processes but the containers: agent, daemon, shims or monitors,
 * and the programs that they run.
 */
export async function benchWholeNode(report: (line: string) => void): Promise<void> {
  const missing = process.getuid?.() !== 0 ? ['root'] : [...missingOciPrograms(), ...(canAccount ? [] : ['cgroup v1 with cpuacct'])];
  if (missing.length > 0) return report(`whole-node: not measured, because this machine lacks ${missing.join(', ')}`);
  const containerd = provideContainerd(false).found.at(-1);
  const nodes = new Map<string, BenchNodeOptions>();
  if (containerd && kubeletBinary) nodes.set('kubelet on containerd', { binaries: containerd, kubelet: kubeletBinary });
  if (containerd) nodes.set('nodeagent on containerd', { binaries: containerd });
  nodes.set('nodeagent with its OCI runtime', {});
  for (const [name, options] of nodes) {
    const measured = await measure(options);
    const spread = (of: keyof Round, digits: number) => {
      const values = measured.map((round) => round[of]).sort((a, b) => a - b);
      return `${values[0]?.toFixed(digits)} to ${values.at(-1)?.toFixed(digits)}`;
    };
    const line = (what: string, value: string) => report(`whole-node, ${pods} pods, ${name}, ${what}: ${value}`);
    line('wall to start', `${spread('startWall', 1)} s`);
    line('CPU to start', `${spread('startCpu', 1)} s`);
    line('memory', `${spread('memory', 0)} MiB in ${measured[0]?.processes} processes`);
    line('wall to stop', `${spread('stopWall', 1)} s`);
    line('CPU to stop', `${spread('stopCpu', 1)} s`);
  }
}

async function measure(options: BenchNodeOptions): Promise<Round[]> {
  const node = await startBenchNode(options);
  const group = accountProcesses(`nodeagent-bench-${node.pid}`, [node.pid, ...(node.daemon === undefined ? [] : [node.daemon])]);
  const measured: Round[] = [];
  try {
    for (let round = 0; round < rounds; round++) measured.push(await measureRound(node, group));
  } finally {
    group.end();
    await node.stop();
  }
  return measured.slice(1);
}

async function measureRound(node: Awaited<ReturnType<typeof startBenchNode>>, group: AccountedProcesses): Promise<Round> {
  const accounted = async <T extends Took>(work: Promise<T>): Promise<[took: T, cpu: number]> => {
    const cpu = group.cpuSeconds();
    const took = await work;
    return [took, group.cpuSeconds() - cpu];
  };
  const [started, startCpu] = await accounted(node.start(pods));
  await sleep(settleMs);
  const [memory, processes] = [group.memoryMib(), group.count()];
  const [stopped, stopCpu] = await accounted(started.stop());
  return { startWall: started.wall, startCpu, stopWall: stopped.wall, stopCpu, memory, processes };
}
