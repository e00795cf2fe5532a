import type { AllocationStore } from '@nodeagent/allocation';
import type { CheckpointFile, MachineTopology } from '@nodeagent/api';
import type { CgroupFiles } from '@nodeagent/cgroups';
import type { LogFiles, LogSource } from '@nodeagent/container-logs';
import type { KernelSettingFiles } from '@nodeagent/container-manager';
import type { DeviceManagerOptions } from '@nodeagent/device-manager';
import type { DiskInfoProvider } from '@nodeagent/eviction';
import type { ImageFsStats } from '@nodeagent/image-gc';
import type { PullRecordStore } from '@nodeagent/image-manager';
import type { ShutdownManagerOptions } from '@nodeagent/node-shutdown';
import type { MachineInfo } from '@nodeagent/node-status';
import type { KernelLog } from '@nodeagent/oom-watcher';
import type { PodProbeManagerOptions, ProbeNetwork } from '@nodeagent/prober';
import type { ActuatedStateStore, PodFiles, RuntimeManagerOptions } from '@nodeagent/runtime-manager';
import type { createStatsProvider } from '@nodeagent/stats/node';
import type { KubeletProcess } from './kubelet-process.js';
import type { MachineFacts } from './machine-facts.js';
import type { PodDirs } from './pod-dirs.js';
import type { VolumeParts, VolumePartsOptions } from './volume-parts.js';

/** The machine's resources for pods. */
export interface MachineResources extends Pick<MachineInfo, 'cpus' | 'memoryBytes' | 'hugePages' | 'ephemeralStorageBytes'> {
  /** Maximum number of processes. Default: not known. */
  maxPids?: number;
}

/** The facts of the machine that an agent runs on. */
export interface HostMachine {
  readonly machine: MachineFacts;
  /** Reads the machine's resources for pods. Never rejects. */
  machineResources(): Promise<MachineResources>;
  /** Reads the machine's CPUs and NUMA nodes. */
  machineTopology(): Promise<MachineTopology>;
  /** Reads the `resolv.conf` for pods with the node's DNS. Throws if it cannot. Default: pods get no resolver settings of the node. */
  readResolvConf?(path: string): string;
  /** The machine's addresses, the primary one first. */
  addresses(): readonly string[];
}

/** State that must survive a restart of the agent. */
export interface Checkpoints {
  allocations: AllocationStore;
  pullRecords: PullRecordStore;
  actuatedResources: ActuatedStateStore;
}

/** The host's files and what the agent reads through them. A host that lacks a feature leaves out its member. */
export interface HostFiles {
  /** Container logs, hosts files and termination messages. */
  readonly files: PodFiles;
  /** Default: the state is lost when the agent restarts. */
  readonly checkpoints?: Checkpoints;
  /** A state file of a resource manager. */
  stateFile(path: string): Pick<CheckpointFile<string>, 'load' | 'save'>;
  /** Files of container logs. Default: logs are not rotated. */
  readonly logFiles?: LogFiles;
  /** Reads container logs for the HTTP API. Default: the API serves no logs. */
  readonly logSource?: LogSource;
  /** Usage of the image file system. Default: image garbage collection by disk usage or age is off. */
  imageFsStats?(signal: AbortSignal): Promise<ImageFsStats>;
  /** Which file systems the node has. Default: eviction assumes a single one. */
  readonly fileSystems?: DiskInfoProvider;
  /** The cgroup file systems. Default: pods run without separate cgroups. */
  readonly cgroups?: CgroupFiles;
  /** The kubelets that run beside the agent. Default: none. */
  kubelets?(): readonly KubeletProcess[];
  /** Kernel settings that a node needs. Default: they are left alone. */
  readonly kernelSettings?: KernelSettingFiles;
  /** Sets the agent's own `oom_score_adj`. Rejects if the process may not. Default: the setting has no effect. */
  setOomScoreAdj?(value: number): Promise<void>;
  /** Reports OOM kills. Default: no SystemOOM events. */
  readonly kernelLog?: KernelLog;
  /** Delays the machine's shutdown, and stores the times of the last one. Default: only `shutdown()` of the agent starts a shutdown. */
  loadShutdown?(): Promise<Required<Pick<ShutdownManagerOptions, 'inhibitor' | 'state'>>>;
}

/** Pod directories, their volumes and their stats. */
export interface HostFolders {
  readonly podDirs: PodDirs;
  createVolumes(options: VolumePartsOptions): ChosenVolumeParts;
  /** Creates the stats provider. Default: the host has no stats. */
  readonly createStats?: typeof createStatsProvider;
}

/** The required members of {@link VolumeParts}. */
export type ChosenVolumeParts = Pick<VolumeParts, 'plugins' | 'node'> & Partial<VolumeParts>;

/** The network and the sockets that pods and device plugins are reached by. */
export interface HostNetwork {
  /** Registration of device plugins, and the connections to them. Default: the sockets in `device-plugins` of the root directory. */
  readonly devicePlugins?: DevicePluginPorts;
  /** Reaches the containers of HTTP, TCP and gRPC probes. Default: such probes result in an error. */
  readonly probeNetwork?: ProbeNetwork;
  /** Makes the requests of HTTP hooks. Default: such hooks fail. */
  readonly hookHttpGet?: RuntimeManagerOptions['hookHttpGet'];
  /** Runs a single probe attempt. Default: over `probeNetwork` and CRI. */
  runProbe?: PodProbeManagerOptions['runProbe'];
}

/** The ports between the agent and device plugins; with them the agent serves no pod resources API. Default of `store`: a state file of the host. */
export type DevicePluginPorts = Required<Pick<DeviceManagerOptions, 'listen' | 'connect'>> & Pick<DeviceManagerOptions, 'store'>;

/** The agent's access to the machine. {@link memoryHost} is an in-memory one; `machineHost` of `@nodeagent/core/node` is the real machine. */
export interface NodeHost extends HostMachine, HostFiles, HostFolders, HostNetwork {}
