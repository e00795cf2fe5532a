import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileAllocationStore } from '@nodeagent/allocation/node';
import { type Clock, type Logger, silentLogger, systemClock } from '@nodeagent/api';
import { createTextFile, fileSystemUsage } from '@nodeagent/api/files';
import { machineCgroupFiles } from '@nodeagent/cgroups/node';
import { nodeLogFiles, nodeLogSource } from '@nodeagent/container-logs/node';
import { machineKernelSettings } from '@nodeagent/container-manager/node';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { criImageFsStats } from '@nodeagent/image-gc';
import { createFilePullRecords } from '@nodeagent/image-manager/node';
import { createKernelLog } from '@nodeagent/oom-watcher/node';
import { machineProbeNetwork } from '@nodeagent/prober/node';
import { createFileActuatedState, nodeFiles, nodeHttpGet } from '@nodeagent/runtime-manager/node';
import { createStatsProvider } from '@nodeagent/stats/node';
import { knownResources } from '../host/known-machine.js';
import type { HostFiles, HostFolders, HostMachine, HostNetwork, NodeHost } from '../host/node-host.js';
import { findKubelets } from './kubelet-processes.js';
import { createHostAddresses, readMachineFacts, readMaxPids } from './machine-facts.js';
import { createNodeFileSystems } from './node-file-systems.js';
import { createNodeVolumes } from './node-volumes.js';
import { createPodDirs } from './pod-dirs.js';

export interface MachineHostOptions {
  /** Root directory of the agent. */
  rootDir: string;
  /** Reports where the runtime keeps its images. */
  cri: { runtime: RuntimeService; image: ImageService };
  /** Default: real time. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
}

/** The machine that the process runs on. Reads its facts once, at creation; throws nothing. */
export function machineHost(options: MachineHostOptions): NodeHost {
  return { ...localMachine(options), ...localFiles(options), ...localFolders(options), ...localNetwork };
}

/** The facts of this machine. */
export function localMachine({ rootDir, clock = systemClock, logger = silentLogger }: MachineHostOptions): HostMachine {
  const machine = readMachineFacts();
  return {
    machine,
    async machineResources() {
      try {
        const { createMachineReader } = await import('@nodeagent/node-status/node');
        await mkdir(rootDir, { recursive: true, mode: 0o750 });
        const maxPids = readMaxPids();
        return { ...(await createMachineReader({ stateDirectory: rootDir }).info()), ...(maxPids !== undefined && { maxPids }) };
      } catch (error) {
        logger.warn({ err: error }, 'cannot read machine resources: the node reports no ephemeral storage and no huge pages');
        return knownResources(machine);
      }
    },
    async machineTopology() {
      const { readMachineTopology } = await import('@nodeagent/machine-topology/node');
      return readMachineTopology();
    },
    readResolvConf,
    addresses: createHostAddresses(clock),
  };
}

/** The resolver file of this machine. */
export function readResolvConf(path: string): string {
  return readFileSync(path, 'utf8');
}

/** The file system of this machine, its cgroups, kernel and init system. */
export function localFiles({ rootDir, cri, clock = systemClock, logger = silentLogger }: MachineHostOptions): HostFiles {
  return {
    files: nodeFiles,
    checkpoints: {
      allocations: createFileAllocationStore(join(rootDir, 'allocated_pods_state')),
      pullRecords: createFilePullRecords({ directory: join(rootDir, 'image_manager'), logger }),
      actuatedResources: createFileActuatedState(join(rootDir, 'actuated_pods_state')),
    },
    stateFile: createTextFile,
    logFiles: nodeLogFiles,
    logSource: nodeLogSource,
    imageFsStats: criImageFsStats({ image: cri.image, fileSystem: fileSystemUsage }),
    fileSystems: createNodeFileSystems(cri.image, rootDir),
    cgroups: machineCgroupFiles,
    kubelets: () => findKubelets(),
    kernelSettings: machineKernelSettings,
    setOomScoreAdj: (value) => writeFile('/proc/self/oom_score_adj', String(value)),
    kernelLog: createKernelLog({ clock }),
    async loadShutdown() {
      const { createFileShutdownState, createLogindInhibitor } = await import('@nodeagent/node-shutdown/node');
      return {
        inhibitor: createLogindInhibitor({ clock, logger }),
        state: createFileShutdownState(join(rootDir, 'graceful_node_shutdown_state')),
      };
    },
  };
}

/** Pod directories below `rootDir`, with this machine's mounts and cgroups. */
export function localFolders({ rootDir }: Pick<MachineHostOptions, 'rootDir'>): HostFolders {
  return { podDirs: createPodDirs(rootDir), createVolumes: createNodeVolumes, createStats: createStatsProvider };
}

/** The network of this machine. */
export const localNetwork: HostNetwork = { probeNetwork: machineProbeNetwork, hookHttpGet: nodeHttpGet };
