import type { CpuInfo } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { indexCpus } from './cpu-topology.js';
import { type TakeOptions, takeByTopology } from './take-by-topology.js';
import { testTopology } from './test-topology.js';

/** A socket for each NUMA node, with one CPU a core. */
const nodes = (count: number, cpusPerNode: number) =>
  indexCpus({
    cpus: Array.from({ length: count * cpusPerNode }, (_, cpu): CpuInfo => {
      const node = Math.floor(cpu / cpusPerNode);
      return { cpu, core: cpu, socket: node, numaNode: node, uncoreCache: cpu >> 1 };
    }),
  });
const take = (available: string, count: number, options?: TakeOptions, topology = indexCpus(testTopology(2, 4))) =>
  takeByTopology(topology, CpuSet.parse(available), count, options).toString();

it('takes whole sockets, then whole cores, then single CPUs, of the fullest group first', () => {
  expect(take('0-15', 8)).toBe('0-3,8-11');
  expect(take('0-15', 3)).toBe('0-1,8');
  expect(take('0-14', 2)).toBe('4,12');
  expect(take('0,2-15', 1)).toBe('9');
});

it('takes CPUs of different cores, of one uncore cache, or in equal parts of NUMA nodes', () => {
  expect(take('0-15', 3, { distributeCPUsAcrossCores: true })).toBe('0-2');
  expect(take('0,2-3,5', 2, { preferAlignByUncoreCache: true }, nodes(1, 6))).toBe('2-3');
  expect(take('0-15', 10, { distributeCPUsAcrossNUMA: true })).toBe('0-2,4-6,8-9,12-13');
});

it('takes nothing for no CPUs, and throws if there are too few', () => {
  expect(take('0-3', 0)).toBe('');
  expect(() => take('0-3', 5)).toThrow('not enough cpus available to satisfy request: requested=5, available=4');
});

it('keeps the chosen NUMA nodes if the overwritten combination lacks CPUs', () => {
  // Socket 0 has four nodes of four CPUs, socket 1 eight nodes of three: only the nodes of socket 0 can share 16 CPUs.
  const cpus = Array.from({ length: 40 }, (_, cpu): CpuInfo => {
    const socket = cpu < 16 ? 0 : 1;
    const numaNode = socket === 0 ? cpu >> 2 : 4 + Math.floor((cpu - 16) / 3);
    return { cpu, core: cpu, socket, numaNode, uncoreCache: socket };
  });
  expect(take('0-39', 16, { distributeCPUsAcrossNUMA: true }, indexCpus({ cpus }))).toBe('0-15');
});
