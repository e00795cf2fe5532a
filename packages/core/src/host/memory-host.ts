import type { CgroupFiles } from '@nodeagent/cgroups';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { createMemoryCsiPlugin } from '@nodeagent/csi';
import { createMemoryFiles, type PodFiles } from '@nodeagent/runtime-manager';
import { createMemoryVolumes, type MemoryVolumeFiles } from '@nodeagent/volume-plugins';
import { knownResources, knownTopology } from './known-machine.js';
import type { MachineFacts } from './machine-facts.js';
import { createMemoryPodDirs } from './memory-pod-dirs.js';
import type { HostFiles, HostFolders, HostMachine, NodeHost } from './node-host.js';
import type { PodDirs } from './pod-dirs.js';

export interface MemoryHostOptions {
  /** Default: a new in-memory file system. */
  files?: PodFiles;
  /** Default: new directories; removing one removes its files. */
  podDirs?: PodDirs;
  /** Keeps the files of volumes. Default: their content is read and checked, but not kept. */
  volumeFiles?: MemoryVolumeFiles;
  /** Default: 4 CPUs, 8 GiB. */
  machine?: MachineFacts;
  /** Default: new cgroups, of the machine's version and with its sizes of huge pages. */
  cgroups?: CgroupFiles;
  /** Default: one address of the documentation block (RFC 5737). */
  addresses?: readonly string[];
}

/** An in-memory host: it reads and writes nothing on the real machine, and its content ends with the process. */
export function memoryHost(options: MemoryHostOptions = {}): NodeHost {
  const { files = createMemoryFiles(), machine = smallMachine, addresses = ['192.0.2.1'], volumeFiles } = options;
  const { podDirs = createMemoryPodDirs(files) } = options;
  const { cgroups = cgroupsOf(machine) } = options;
  return { ...memoryMachine(machine, addresses), ...memoryFiles(files), ...memoryFolders(podDirs, volumeFiles), cgroups };
}

/** Returns the given facts and addresses. */
function memoryMachine(machine: MachineFacts, addresses: readonly string[]): HostMachine {
  return {
    machine,
    machineResources: async () => knownResources(machine),
    machineTopology: async () => knownTopology(machine),
    addresses: () => addresses,
  };
}

/** New cgroups in memory for the machine. */
function cgroupsOf({ cpus, cgroupVersion: version, hugePageSizes }: MachineFacts): CgroupFiles {
  return createMemoryCgroups({ version, hugePageSizes, cpus: `0-${cpus - 1}` }).files;
}

/** The given files only: no disk, no cgroups, no kernel log, no checkpoints except state files. */
export function memoryFiles(files: PodFiles): HostFiles {
  return {
    files,
    stateFile: (path) => ({ load: () => files.readText(path), save: (text) => files.writeFile(path, text, 0o600) }),
  };
}

/** The given directories, with in-memory volumes and no stats. */
export function memoryFolders(podDirs: PodDirs, files?: MemoryVolumeFiles): HostFolders {
  return {
    podDirs,
    createVolumes({ rootDir, sources, tokens, specName }) {
      const volumes = createMemoryVolumes({ rootDir, sources, tokens, specName, files });
      return { ...volumes, plugins: [...volumes.plugins, createMemoryCsiPlugin({ rootDir })] };
    },
  };
}

/** The default machine of a memory host. */
export const smallMachine: MachineFacts = {
  cpus: 4,
  memoryBytes: 8n << 30n,
  cgroupVersion: 2,
  hugePageSizes: [],
  swapController: false,
  swapBytes: 0n,
  maskedPaths: [],
};
