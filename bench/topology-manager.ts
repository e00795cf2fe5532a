import type { NumaNodeInfo, TopologyHint } from '@nodeagent/api';
import { type MergeHintsInput, mergeHints } from '@nodeagent/topology-manager/decisions';

const nodeCount = 8;
const rounds = 200;

/** CPU time of one admission on 8 NUMA nodes, with hints of three providers for every set of nodes: 255 each, 16 million combinations. */
export async function benchTopologyManager(report: (line: string) => void): Promise<void> {
  const numaNodes = Array.from({ length: nodeCount }, (_, id): Pick<NumaNodeInfo, 'id' | 'distances'> => {
    return { id, distances: Array.from({ length: nodeCount }, (__, to) => (to === id ? 10 : 20 + Math.abs(to - id))) };
  });
  const ids = numaNodes.map(({ id }) => id);
  const sets = Array.from({ length: 2 ** nodeCount - 1 }, (_, index) => ids.filter((id) => (index + 1) & (1 << id)));
  const hints = (size: number): TopologyHint[] => sets.map((set) => ({ numaNodes: set, preferred: set.length === size }));
  const providers = ['devices', 'cpus', 'memory'].map((provider, index) => ({ provider, hints: { [provider]: hints(index + 1) } }));
  for (const policy of ['best-effort', 'restricted', 'single-numa-node'] as const) {
    for (const preferClosestNumaNodes of [false, true]) {
      const input: MergeHintsInput = { policy, numaNodes, providers, preferClosestNumaNodes };
      const what = `${policy}${preferClosestNumaNodes ? ', closest nodes' : ''}`;
      report(
        `topology-manager: merge three full lists of hints for ${nodeCount} NUMA nodes, ${what}: ${milliseconds(input).toFixed(2)} ms of CPU`,
      );
    }
  }
}

/** The mean CPU time, after the first rounds. */
function milliseconds(input: MergeHintsInput): number {
  for (let round = 0; round < rounds; round++) mergeHints(input);
  const started = process.cpuUsage();
  for (let round = 0; round < rounds; round++) mergeHints(input);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000 / rounds;
}
