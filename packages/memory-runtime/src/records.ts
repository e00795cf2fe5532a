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

/** A sandbox as the runtime keeps it. */
export interface SandboxRecord {
  id: string;
  /** Unique while the sandbox exists: name, namespace, uid and attempt. */
  name: string;
  config: PodSandboxConfig;
  runtimeHandler: string;
  state: PodSandboxState;
  createdAt: bigint;
  /** Empty on the host's network. */
  ips: string[];
  containers: Set<ContainerRecord>;
  overhead: LinuxContainerResources | undefined;
  resources: LinuxContainerResources | undefined;
  /** Its entry in listings; made anew when the state changes. */
  listed: PodSandbox | undefined;
}

/** A container as the runtime keeps it. */
export interface ContainerRecord {
  id: string;
  /** Unique while the container exists. */
  name: string;
  sandbox: SandboxRecord;
  config: ContainerConfig;
  image: MemoryImage;
  behaviour: ContainerBehaviour;
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
  /** The stop signal arrived already. */
  stopping: boolean;
  /** StartContainer is under way. */
  starting: boolean;
  /** What ends or writes later; cancelled when the container ends. */
  timers: Set<Timer>;
  /** Called once when it ends. */
  waiters: Set<() => void>;
  logs: string[];
  /** Its entry in listings; made anew when the state changes. */
  listed: Container | undefined;
}
