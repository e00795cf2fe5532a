import type { ContainerConfig, ContainerState, PodSandboxConfig, PodSandboxState } from '@nodeagent/cri-api';
import type { ProcessRef } from './processes.js';
import type { Identity } from './user.js';

/** What is kept of a sandbox, in memory and on disk. Replaced, never changed. */
export interface SandboxRecord {
  id: string;
  config: PodSandboxConfig;
  state: PodSandboxState;
  createdAt: bigint;
  /** The address that the pod's containers are reached at. */
  ip: string;
  /** The boot it was made in; a sandbox does not outlive the machine's run. */
  bootId: string;
}

/** What is kept of a container, in memory and on disk. Replaced, never changed. */
export interface ContainerRecord {
  id: string;
  podSandboxId: string;
  config: ContainerConfig;
  /** Absolute; empty if the container has no log. */
  logPath: string;
  user: Identity;
  state: ContainerState;
  /** Set before the process is started: from then on it may exist although `process` is not known. */
  starting: boolean;
  /** The process, while the container runs. */
  process?: ProcessRef;
  bootId: string;
  createdAt: bigint;
  startedAt: bigint;
  finishedAt: bigint;
  exitCode: number;
  reason: string;
  message: string;
}
