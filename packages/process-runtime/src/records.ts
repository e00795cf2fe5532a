import type { ContainerConfig, ContainerState, PodSandboxConfig, PodSandboxState } from '@nodeagent/cri-api';
import type { ProcessRef } from './processes.js';
import type { Identity } from './user.js';

/** The record of a sandbox, in memory and on disk. Immutable. */
export interface SandboxRecord {
  id: string;
  config: PodSandboxConfig;
  state: PodSandboxState;
  createdAt: bigint;
  /** The pod's IP address. */
  ip: string;
  /** The boot in which it was created; a sandbox does not survive a reboot. */
  bootId: string;
}

/** The record of a container, in memory and on disk. Immutable. */
export interface ContainerRecord {
  id: string;
  podSandboxId: string;
  config: ContainerConfig;
  /** Absolute; empty if the container has no log. */
  logPath: string;
  user: Identity;
  state: ContainerState;
  /** Set before the process is started: from then on the process may exist although `process` is not recorded. */
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
