import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMachineTopology } from './read-machine-topology.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'machine-topology-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes files; names are relative to the mount point of sysfs, or begin with `proc/`. */
function write(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name.startsWith('proc/') ? name : join('sys/devices/system', name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${text}\n`);
  }
}
const read = () => readMachineTopology({ sysfs: join(folder, 'sys'), procfs: join(folder, 'proc') });

const cpu = (number: number, core: string, socket: number, cache?: { id: number; cpus: string }) =>
  write({
    [`cpu/cpu${number}/topology/core_cpus_list`]: core,
    [`cpu/cpu${number}/topology/physical_package_id`]: String(socket),
    ...(cache && {
      [`cpu/cpu${number}/cache/index0/level`]: '1',
      [`cpu/cpu${number}/cache/index0/id`]: '7',
      [`cpu/cpu${number}/cache/index0/shared_cpu_list`]: core,
      [`cpu/cpu${number}/cache/index3/level`]: '3',
      [`cpu/cpu${number}/cache/index3/id`]: String(cache.id),
      [`cpu/cpu${number}/cache/index3/shared_cpu_list`]: cache.cpus,
    }),
  });
const node = (id: number, cpus: string, kib: number, distance: string) =>
  write({
    [`node/node${id}/cpulist`]: cpus,
    [`node/node${id}/meminfo`]: `Node ${id} MemTotal:       ${kib} kB\nNode ${id} MemFree:   1 kB`,
    [`node/node${id}/distance`]: distance,
  });

it('reads two sockets with a NUMA node each, huge pages and uncore caches', async () => {
  write({ 'cpu/online': '0-7' });
  for (const number of [0, 1, 2, 3]) {
    const [core, sibling] = [number, number + 4];
    const cpus = `${core},${sibling}`;
    const cache = { id: number, cpus };
    cpu(core, cpus, number < 2 ? 0 : 1, cache);
    cpu(sibling, cpus, number < 2 ? 0 : 1, cache);
  }
  node(0, '0-1,4-5', 1000, '10 21');
  node(1, '2-3,6-7', 2000, '21 10');
  write({ 'node/node1/hugepages/hugepages-1048576kB/nr_hugepages': '2', 'node/node1/hugepages/hugepages-2048kB/nr_hugepages': '16' });
  expect(await read()).toEqual({
    cpus: [
      { cpu: 0, core: 0, socket: 0, numaNode: 0, uncoreCache: 0 },
      { cpu: 1, core: 1, socket: 0, numaNode: 0, uncoreCache: 1 },
      { cpu: 2, core: 2, socket: 1, numaNode: 1, uncoreCache: 2 },
      { cpu: 3, core: 3, socket: 1, numaNode: 1, uncoreCache: 3 },
      { cpu: 4, core: 0, socket: 0, numaNode: 0, uncoreCache: 0 },
      { cpu: 5, core: 1, socket: 0, numaNode: 0, uncoreCache: 1 },
      { cpu: 6, core: 2, socket: 1, numaNode: 1, uncoreCache: 2 },
      { cpu: 7, core: 3, socket: 1, numaNode: 1, uncoreCache: 3 },
    ],
    numaNodes: [
      { id: 0, memoryBytes: 1_024_000, hugePages: [], distances: [10, 21] },
      {
        id: 1,
        memoryBytes: 2_048_000,
        hugePages: [
          { pageSizeKiB: 2048, pages: 16 },
          { pageSizeKiB: 1_048_576, pages: 2 },
        ],
        distances: [21, 10],
      },
    ],
  });
});

it('ignores offline CPUs: a core gets the number of its smallest online CPU', async () => {
  write({ 'cpu/online': '0,2-3', 'cpu/cpu1/online': '0' });
  cpu(0, '0', 0);
  cpu(2, '2', 0);
  cpu(3, '1,3', 0);
  node(0, '0,2-3', 1, '10');
  const { cpus } = await read();
  expect(cpus.map((each) => [each.cpu, each.core])).toEqual([
    [0, 0],
    [2, 2],
    [3, 3],
  ]);
});

it('counts a cache that one whole NUMA node shares as no uncore cache', async () => {
  write({ 'cpu/online': '0-3' });
  for (const number of [0, 1, 2, 3]) cpu(number, String(number), 5, { id: 9, cpus: number < 2 ? '0-1' : '2-3' });
  node(0, '0-1', 1, '10 12');
  node(1, '2-3', 1, '12 10');
  expect((await read()).cpus.map(({ uncoreCache }) => uncoreCache)).toEqual([5, 5, 5, 5]);
});

it('keeps a NUMA node without CPUs', async () => {
  write({ 'cpu/online': '0' });
  cpu(0, '0', 0);
  node(0, '0', 1, '10 40');
  node(2, '', 4, '40 10');
  const { cpus, numaNodes } = await read();
  expect(cpus.map(({ numaNode }) => numaNode)).toEqual([0]);
  expect(numaNodes.map(({ id, memoryBytes }) => [id, memoryBytes])).toEqual([
    [0, 1024],
    [2, 4096],
  ]);
});

it('takes a machine without NUMA support for one node with all of its memory', async () => {
  write({
    'cpu/online': '0-1',
    'proc/meminfo': 'MemTotal:       4096 kB\nMemFree: 1 kB',
    '../../kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '3',
  });
  write({ 'cpu/cpu0/topology/thread_siblings_list': '0-1', 'cpu/cpu1/topology/thread_siblings_list': '0-1' });
  write({ 'cpu/cpu0/topology/physical_package_id': '-1' });
  expect(await read()).toEqual({
    cpus: [
      { cpu: 0, core: 0, socket: 0, numaNode: 0, uncoreCache: 0 },
      { cpu: 1, core: 0, socket: 0, numaNode: 0, uncoreCache: 0 },
    ],
    numaNodes: [{ id: 0, memoryBytes: 4_194_304, hugePages: [{ pageSizeKiB: 2048, pages: 3 }], distances: [10] }],
  });
});

it('names the file that is missing or malformed', async () => {
  const path = (name: string) => join(folder, 'sys/devices/system', name);
  await expect(read()).rejects.toMatchObject({ code: 'InvalidMachineTopology', details: { path: path('cpu/online') } });
  write({ 'cpu/online': '0' });
  cpu(0, '0', 0);
  node(0, '0', 1, '10');
  write({ 'node/node0/distance': 'ten' });
  await expect(read()).rejects.toMatchObject({
    code: 'InvalidMachineTopology',
    message: `failed to read the machine's topology: ${path('node/node0/distance')}: not a number: "ten"`,
  });
  write({ 'node/node0/distance': '10', 'node/node0/meminfo': 'MemFree: 1 kB' });
  await expect(read()).rejects.toMatchObject({ details: { path: path('node/node0/meminfo') } });
});
