import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage, type MachineTopology, type NumaNodeInfo } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';
import { buildMachineTopology, type CacheFacts, type CpuFacts, type NodeFacts } from './build-machine-topology.js';
import { invalidFile } from './errors.js';
import { parseHugePageFolder, parseMemTotal, parseNumber, parseNumbers } from './parse.js';

/** Options of {@link readMachineTopology}. */
export interface MachineTopologyOptions {
  /** Where sysfs is mounted. Default `/sys`. */
  sysfs?: string;
  /** Where procfs is mounted; read only on a machine whose kernel has no NUMA support. Default `/proc`. */
  procfs?: string;
}

/**
 * Reads the online CPUs and the NUMA nodes of this Linux machine: cputopology.rst and sysfs-devices-node of the Linux documentation. A
 * machine whose kernel has no NUMA support is one node, number 0. A CPU without topology files is a core of socket 0. Rejects with
 * `InvalidMachineTopology` if the list of CPUs or a node's memory is missing or a file is malformed, or with the file system's error.
 */
export async function readMachineTopology(options: MachineTopologyOptions = {}): Promise<MachineTopology> {
  const { sysfs = '/sys', procfs = '/proc' } = options;
  const cpuFolder = join(sysfs, 'devices/system/cpu');
  const online = await readRequired(join(cpuFolder, 'online'), parseCpus);
  const cpus = await Promise.all(online.list().map((cpu) => readCpu(join(cpuFolder, `cpu${cpu}`), cpu)));
  const nodes = await readNodes(join(sysfs, 'devices/system/node'));
  return buildMachineTopology(cpus, nodes.length > 0 ? nodes : [await readSingleNode(sysfs, procfs, online)]);
}

async function readCpu(folder: string, cpu: number): Promise<CpuFacts> {
  const topology = join(folder, 'topology');
  const coreCpus =
    (await readOptional(join(topology, 'core_cpus_list'), parseCpus)) ??
    (await readOptional(join(topology, 'thread_siblings_list'), parseCpus)) ??
    CpuSet.of([cpu]);
  const socket = (await readOptional(join(topology, 'physical_package_id'), parseNumber)) ?? 0;
  // Virtual machines report -1 if they hide the socket.
  return { cpu, coreCpus, socket: Math.max(socket, 0), caches: await readCaches(join(folder, 'cache')) };
}

async function readCaches(folder: string): Promise<CacheFacts[]> {
  const names = (await list(folder)).filter((name) => /^index\d+$/.test(name)).sort();
  const caches = names.map(async (name): Promise<CacheFacts> => {
    const id = await readOptional(join(folder, name, 'id'), parseNumber);
    const level = await readRequired(join(folder, name, 'level'), parseNumber);
    return { level, cpus: await readRequired(join(folder, name, 'shared_cpu_list'), parseCpus), ...(id !== undefined && { id }) };
  });
  return Promise.all(caches);
}

async function readNodes(folder: string): Promise<NodeFacts[]> {
  const ids = (await list(folder)).flatMap((name) => /^node(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  return Promise.all(
    ids.map(async (id) => {
      const path = join(folder, `node${id}`);
      return {
        id,
        cpus: await readRequired(join(path, 'cpulist'), parseCpus),
        memoryBytes: await readRequired(join(path, 'meminfo'), parseMemTotal),
        hugePages: await readHugePages(join(path, 'hugepages')),
        distances: await readRequired(join(path, 'distance'), parseNumbers),
      };
    }),
  );
}

async function readSingleNode(sysfs: string, procfs: string, cpus: CpuSet): Promise<NodeFacts> {
  return {
    id: 0,
    cpus,
    memoryBytes: await readRequired(join(procfs, 'meminfo'), parseMemTotal),
    hugePages: await readHugePages(join(sysfs, 'kernel/mm/hugepages')),
    distances: [10],
  };
}

async function readHugePages(folder: string): Promise<NumaNodeInfo['hugePages']> {
  const pages = await Promise.all(
    (await list(folder)).map(async (name) => {
      const pageSizeKiB = parseHugePageFolder(name);
      if (pageSizeKiB === undefined) return [];
      return [{ pageSizeKiB, pages: await readRequired(join(folder, name, 'nr_hugepages'), parseNumber) }];
    }),
  );
  return pages.flat().sort((a, b) => a.pageSizeKiB - b.pageSizeKiB);
}

const parseCpus = (text: string) => CpuSet.parse(text.trim());

/** The entries of a folder; none if it does not exist. */
async function list(folder: string): Promise<string[]> {
  return (await unlessMissing(readdir(folder))) ?? [];
}

async function readRequired<T>(path: string, parse: (text: string) => T): Promise<T> {
  const value = await readOptional(path, parse);
  if (value === undefined) throw invalidFile(path, 'the file does not exist');
  return value;
}

async function readOptional<T>(path: string, parse: (text: string) => T): Promise<T | undefined> {
  const text = await unlessMissing(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    throw invalidFile(path, errorMessage(error), error);
  }
}

async function unlessMissing<T>(access: Promise<T>): Promise<T | undefined> {
  try {
    return await access;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
