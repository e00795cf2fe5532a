import type { Timer } from '@nodeagent/api';
import type {
  Container,
  ContainerConfig,
  ContainerState,
  LinuxContainerResources,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxState,
} from '@nodeagent/cri-api';
import type { ContainerBehaviour } from './behaviour.js';
import type { MemoryImage } from './image-store.js';
import type { LogEntry } from './log-entry.js';
import type { ProgramProcess } from './program/process.js';
import type { ImageProgram } from './program/program.js';

/** The runtime's record of a sandbox. */
export interface SandboxRecord {
  id: string;
  /** Unique while the sandbox exists: name, namespace, uid and attempt. */
  name: string;
  config: PodSandboxConfig;
  runtimeHandler: string;
  state: PodSandboxState;
  createdAt: bigint;
  /** Empty in the host network. */
  ips: string[];
  containers: Set<ContainerRecord>;
  overhead: LinuxContainerResources | undefined;
  resources: LinuxContainerResources | undefined;
  /** Cached list entry; replaced when the state changes. */
  listed: PodSandbox | undefined;
}

/** The runtime's record of a container. */
export interface ContainerRecord {
  id: string;
  /** Unique while the container exists. */
  name: string;
  sandbox: SandboxRecord;
  config: ContainerConfig;
  image: MemoryImage;
  behaviour: ContainerBehaviour;
  /** The program of its image, unless a script matches the container. */
  program: ImageProgram | undefined;
  /** The running program. */
  process: ProgramProcess | undefined;
  state: ContainerState;
  createdAt: bigint;
  startedAt: bigint;
  finishedAt: bigint;
  /** Clock time of the start in milliseconds. */
  startedMs: number;
  exitCode: number;
  reason: string;
  message: string;
  resources: LinuxContainerResources | undefined;
  /** Whether the stop signal was sent. */
  stopping: boolean;
  /** Whether StartContainer is in progress. */
  starting: boolean;
  /** Timers for the exit and log lines; cancelled when the container exits. */
  timers: Set<Timer>;
  /** Called once when it exits. */
  waiters: Set<() => void>;
  logs: LogEntry[];
  /** Cached list entry; replaced when the state changes. */
  listed: Container | undefined;
}
