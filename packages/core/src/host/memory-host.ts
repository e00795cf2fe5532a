import { createMemoryCsiPlugin } from '@nodeagent/csi';
import { createMemoryFiles, type PodFiles } from '@nodeagent/runtime-manager';
import { createMemoryVolumes } from '@nodeagent/volume-plugins';
import type { MachineFacts } from './machine.js';
import { knownResources } from './machine-host.js';
import { createMemoryPodDirs } from './memory-pod-dirs.js';
import type { HostFiles, HostFolders, HostMachine, NodeHost } from './node-host.js';
import type { PodDirs } from './pod-dirs.js';

export interface MemoryHostOptions {
  /** Default: new ones. */
  files?: PodFiles;
  /** Default: new ones, whose removal removes the files in them. */
  podDirs?: PodDirs;
  /** Default: 4 CPUs, 8 GiB. */
  machine?: MachineFacts;
  /** Default: one address of the block for documentation. */
  addresses?: readonly string[];
}

/** A machine that exists in memory only: nothing of the real one is read or written, and a restart of the process loses it. */
export function memoryHost(options: MemoryHostOptions = {}): NodeHost {
  const { files = createMemoryFiles(), machine = smallMachine, addresses = ['192.0.2.1'] } = options;
  const { podDirs = createMemoryPodDirs(files) } = options;
  return { ...memoryMachine(machine, addresses), ...memoryFiles(files), ...memoryFolders(podDirs) };
}

/** These facts, and nothing that would have to be read. */
function memoryMachine(machine: MachineFacts, addresses: readonly string[]): HostMachine {
  return { machine, machineResources: async () => knownResources(machine), addresses: () => addresses };
}

/** These files alone: no disk, no kernel log, nothing that outlives the agent. */
export function memoryFiles(files: PodFiles): HostFiles {
  return { files };
}

/** These folders, with volumes in memory; what their pods use is not measured. */
export function memoryFolders(podDirs: PodDirs): HostFolders {
  return {
    podDirs,
    createVolumes(options) {
      const volumes = createMemoryVolumes(options);
      return { ...volumes, plugins: [...volumes.plugins, createMemoryCsiPlugin(options)] };
    },
  };
}

/** The machine of a memory host by default. */
export const smallMachine: MachineFacts = {
  cpus: 4,
  memoryBytes: 8n << 30n,
  cgroupVersion: 2,
  hugePageSizes: [],
  swapController: false,
  swapBytes: 0n,
  maskedPaths: [],
};
