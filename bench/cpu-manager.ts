import type { Container, CpuInfo, Pod } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';
import { allocateCpus, containerCpuHints, createStaticPolicy, emptyCpuState, startState } from '@nodeagent/cpu-manager/decisions';

const rounds = 50;

/** CPU time of one container's decisions on 256 CPUs in 8 NUMA nodes, of which every third is taken. */
export async function benchCpuManager(report: (line: string) => void): Promise<void> {
  const cpus = Array.from({ length: 256 }, (_, cpu): CpuInfo => {
    const core = cpu % 128;
    const numaNode = Math.floor(core / 16);
    return { cpu, core, socket: Math.floor(numaNode / 4), numaNode, uncoreCache: Math.floor(core / 8) };
  });
  const resources = { requests: { cpu: '24', memory: '1Gi' }, limits: { cpu: '24', memory: '1Gi' } };
  const container: Container = { name: 'main', image: 'i', resources };
  const pod: Pod = { metadata: { uid: '1' }, spec: { containers: [container] } };
  const policy = createStaticPolicy({ topology: { cpus }, numReservedCPUs: 2 });
  const empty = startState(policy, emptyCpuState);
  const taken = CpuSet.of(cpus.map(({ cpu }) => cpu).filter((cpu) => cpu % 3 === 2));
  const state = { ...empty, defaultCpuSet: empty.defaultCpuSet.difference(taken) };
  const hint = { numaNodes: [1], preferred: true };
  const reportMs = (what: string, run: () => unknown) =>
    report(`cpu-manager: ${what} of 256 CPUs: ${milliseconds(run).toFixed(2)} ms of CPU`);
  reportMs('topology hints for 24', () => containerCpuHints(policy, state, pod, container));
  reportMs('choose 24', () => allocateCpus(policy, state, pod, container, hint));
}

/** The mean CPU time, after the first rounds. */
function milliseconds(run: () => unknown): number {
  for (let round = 0; round < rounds; round++) run();
  const started = process.cpuUsage();
  for (let round = 0; round < rounds; round++) run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000 / rounds;
}
