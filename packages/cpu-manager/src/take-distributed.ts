import type { CpuSet } from '@nodeagent/api/helpers';
import { overwrittenCombinations } from './combinations.js';
import type { CpuTopology } from './cpu-topology.js';
import { createFreeCpus } from './free-cpus.js';
import { numaNodeOrder } from './group-order.js';
import { type PackedStrategy, takePacked } from './take-packed.js';

/** NUMA nodes that share a request: each gives `even` CPUs, and those in `extra` one group more in turn until nothing remains. */
interface Distribution {
  nodes: number[];
  even: number;
  extra: number[];
  /** How unequal the free CPUs of all nodes are afterwards. */
  imbalance: number;
}

const packed: PackedStrategy = { spreadOverCores: false, preferUncoreCaches: false };

/**
 * Takes CPUs in equal parts from as few NUMA nodes as can share the request, so that the free CPUs of all nodes stay balanced. CPUs are handed
 * out in groups of `groupSize`. Where no nodes can share the request, {@link takePacked}. Throws `NotEnoughCpus`.
 */
export function takeDistributed(topology: CpuTopology, available: CpuSet, count: number, groupSize: number): CpuSet {
  if (count < 1 || count > available.size || count % groupSize !== 0) return takePacked(topology, available, count, packed);
  const cpus = createFreeCpus(topology, available, count);
  const nodes = cpus.sorted(...numaNodeOrder(topology));
  const free = new Map(nodes.map((id) => [id, cpus.freeIn('numaNode', id).size]));
  const [min, max] = nodeCounts(topology, nodes.length, count / groupSize, groupSize);
  for (let size = min; size <= max; size++) {
    const best = bestDistribution(free, size, count, groupSize);
    if (best === undefined) continue;
    const takeFrom = (node: number, amount: number) => cpus.take(takePacked(topology, cpus.freeIn('numaNode', node), amount, packed));
    for (const node of best.nodes) takeFrom(node, best.even);
    while (cpus.needed > 0) {
      for (const node of best.extra) {
        if (cpus.needed > 0 && cpus.freeIn('numaNode', node).size >= groupSize) takeFrom(node, groupSize);
      }
    }
    return cpus.taken;
  }
  return takePacked(topology, available, count, packed);
}

/** The minimum and the maximum number of nodes that can share a request of so many groups. */
function nodeCounts(topology: CpuTopology, nodesWithFreeCpus: number, groups: number, groupSize: number): [number, number] {
  const groupsPerNode = Math.ceil(Math.ceil(topology.cpus.size / groupSize) / topology.groups('numaNode').length);
  return [Math.ceil(groups / groupsPerNode), Math.min(groups, nodesWithFreeCpus)];
}

/** The most balanced distribution over so many nodes: of the first of equally balanced combinations, or what became of it. */
function bestDistribution(free: ReadonlyMap<number, number>, size: number, count: number, groupSize: number): Distribution | undefined {
  let best: Distribution | undefined;
  let intended: Distribution | undefined;
  for (const nodes of overwrittenCombinations([...free.keys()], size)) {
    if (best?.imbalance === 0) break;
    const distribution = distribute(free, nodes, count, groupSize);
    if (distribution === undefined || (best && distribution.imbalance >= best.imbalance)) continue;
    best = distribution;
    intended = { ...distribution, nodes: [...nodes], extra: [...distribution.extra] };
  }
  // A kubelet fails, or never ends, if the overwritten combination lacks CPUs.
  return best && canProvide(free, best, count, groupSize) ? best : intended;
}

/** The most balanced distribution over these nodes; undefined if they cannot share the request. */
function distribute(free: ReadonlyMap<number, number>, nodes: number[], count: number, groupSize: number): Distribution | undefined {
  const groups = sum(nodes.map((node) => Math.floor((free.get(node) ?? 0) / groupSize)));
  const even = Math.floor(Math.floor(count / nodes.length) / groupSize) * groupSize;
  const left = takeEvenly(free, nodes, even);
  if (groups * groupSize < count || left === undefined) return undefined;
  const remainder = count - even * nodes.length;
  if (remainder === 0) return { nodes, even, extra: [], imbalance: standardDeviation([...left.values()]) };

  const withRoom = nodes.filter((node) => (left.get(node) ?? 0) >= groupSize);
  let best: Distribution | undefined;
  for (let size = withRoom.length; size >= 1; size--) {
    for (const extra of overwrittenCombinations(withRoom, size)) {
      const after = handOut(left, extra, remainder, groupSize);
      const imbalance = after && standardDeviation([...after.values()]);
      if (imbalance !== undefined && (best === undefined || imbalance < best.imbalance)) best = { nodes, even, extra, imbalance };
    }
  }
  return best;
}

function canProvide(free: ReadonlyMap<number, number>, { nodes, even, extra }: Distribution, count: number, groupSize: number): boolean {
  const left = takeEvenly(free, nodes, even);
  return left !== undefined && handOut(left, extra, count - even * nodes.length, groupSize) !== undefined;
}

/** The free CPUs after each node gave `even`; undefined if one has fewer. */
function takeEvenly(free: ReadonlyMap<number, number>, nodes: readonly number[], even: number): Map<number, number> | undefined {
  const left = new Map(free);
  for (const node of nodes) left.set(node, (free.get(node) ?? 0) - even);
  return nodes.some((node) => (left.get(node) ?? 0) < 0) ? undefined : left;
}

/** The free CPUs after the nodes gave the remainder, one group in turn; undefined if they have too few groups. */
function handOut(
  free: ReadonlyMap<number, number>,
  nodes: number[],
  remainder: number,
  groupSize: number,
): Map<number, number> | undefined {
  if (sum(nodes.map((node) => Math.floor((free.get(node) ?? 0) / groupSize))) * groupSize < remainder) return undefined;
  const after = new Map(free);
  for (let left = remainder; left > 0; ) {
    for (const node of nodes) {
      const available = after.get(node) ?? 0;
      if (left === 0 || available < groupSize) continue;
      after.set(node, available - groupSize);
      left -= groupSize;
    }
  }
  return after;
}

/** The standard deviation of the population. Mean and result are rounded to three decimals, as in the kubelet: near ties are ties. */
function standardDeviation(values: readonly number[]): number {
  const mean = round(sum(values) / values.length);
  return round(Math.sqrt(sum(values.map((value) => (value - mean) ** 2)) / values.length));
}

const round = (value: number) => Math.round(value * 1000) / 1000;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
