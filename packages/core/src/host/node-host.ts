import type { AllocationStore } from '@nodeagent/allocation';
import type { LogFiles, LogSource } from '@nodeagent/container-logs';
import type { DiskInfoProvider } from '@nodeagent/eviction';
import type { ImageFsStats } from '@nodeagent/image-gc';
import type { PullRecordStore } from '@nodeagent/image-manager';
import type { ShutdownManagerOptions } from '@nodeagent/node-shutdown';
import type { MachineInfo } from '@nodeagent/node-status';
import type { KernelLog } from '@nodeagent/oom-watcher';
import type { ActuatedStateStore, PodFiles } from '@nodeagent/runtime-manager';
import type { createStatsProvider } from '@nodeagent/stats';
import type { MachineFacts } from './machine.js';
import type { VolumeParts, VolumePartsOptions } from './node-volumes.js';
import type { PodDirs } from './pod-dirs.js';

/** What a machine has for pods. */
export type MachineResources = Pick<MachineInfo, 'cpus' | 'memoryBytes' | 'hugePages' | 'ephemeralStorageBytes'>;

/** The facts of the machine that an agent runs on. */
export interface HostMachine {
  readonly machine: MachineFacts;
  /** Reads what the machine has for pods. Never rejects. */
  machineResources(): Promise<MachineResources>;
  /** Reads the resolver file that pods with the node's DNS get. Throws if it cannot. Default: pods get none. */
  readResolvConf?(path: string): string;
  /** The machine's own addresses, its primary one first. */
  addresses(): readonly string[];
}

/** Where the agent keeps what must survive its restart. */
interface Checkpoints {
  allocations: AllocationStore;
  pullRecords: PullRecordStore;
  actuatedResources: ActuatedStateStore;
}

/** The files of the machine, and what the agent knows through them. An absent member is one that the host does not have. */
export interface HostFiles {
  /** Files beside containers: logs, hosts files, termination messages. */
  readonly files: PodFiles;
  /** Default: a restart of the agent loses them. */
  readonly checkpoints?: Checkpoints;
  /** Files of container logs. Default: logs are not rotated. */
  readonly logFiles?: LogFiles;
  /** Where container logs are read. Default: the HTTP API has no logs. */
  readonly logSource?: LogSource;
  /** The disk of the images. Default: no image is removed for its space or age. */
  imageFsStats?(signal: AbortSignal): Promise<ImageFsStats>;
  /** Which file systems the node has. Default: eviction assumes one. */
  readonly fileSystems?: DiskInfoProvider;
  /** Reports OOM kills. Default: no SystemOOM events. */
  readonly kernelLog?: KernelLog;
  /** Delays the machine's shutdown, and keeps the times of the last one. Default: only `shutdown()` of the agent starts a shutdown. */
  loadShutdown?(): Promise<Required<Pick<ShutdownManagerOptions, 'inhibitor' | 'state'>>>;
}

/** The folders of pods, and what is mounted and measured in them. */
export interface HostFolders {
  readonly podDirs: PodDirs;
  createVolumes(options: VolumePartsOptions): ChosenVolumeParts;
  /** Measures the node and its pods. Default: the host has no stats. */
  readonly createStats?: typeof createStatsProvider;
}

/** What of {@link VolumeParts} a host must have. */
export type ChosenVolumeParts = Pick<VolumeParts, 'plugins' | 'node'> & Partial<VolumeParts>;

/** Everything of an agent that touches the machine. {@link machineHost} is a real one, {@link memoryHost} one in memory. */
export interface NodeHost extends HostMachine, HostFiles, HostFolders {}
