import type { ContainerConfig, PodSandboxConfig, PodSandboxState } from '@nodeagent/cri-api';
import type { ProcessRef } from './process-ref.js';

/** The program of an OCI runtime, and the folder of its state. */
export interface RecordedProgram {
  path: string;
  root: string;
}

/** A sandbox, in memory and on disk. Immutable. */
export interface SandboxRecord {
  id: string;
  config: PodSandboxConfig;
  /** The name of the OCI runtime that its containers run on. Default: empty, for the default one. */
  runtimeHandler?: string;
  /** That OCI runtime, for the case that the handler is removed from the options. */
  program?: RecordedProgram;
  state: PodSandboxState;
  /** False from before the first step of RunPodSandbox to its end: then the next run of the agent removes it. */
  isComplete: boolean;
  createdAt: bigint;
  /** A sandbox does not survive a restart of the machine. */
  bootId: string;
  /** Empty in the network of the machine. */
  ips: string[];
  /** The first process of a shared process namespace. Without it no container can join the namespace. */
  infra?: ProcessRef;
}

/** The last step that a container has taken, or may have. */
type ContainerStep =
  /** From before the first step of CreateContainer to its end: the next run of the agent removes it. */
  | 'creating'
  | 'created'
  /** From before the start: the OCI runtime knows whether it took place. */
  | 'starting'
  | 'started'
  | 'exited';

/** A container, in memory and on disk. Immutable. */
export interface ContainerRecord {
  id: string;
  podSandboxId: string;
  /** That of its sandbox. */
  runtimeHandler?: string;
  config: ContainerConfig;
  /** ID and reference of its image. */
  imageId: string;
  imageRef: string;
  /** Absolute; empty if the container has no log. */
  logPath: string;
  /** The number of the signal: that of the request, else that of the image. */
  stopSignal: number;
  user: { uid: number; gid: number; additionalGids: readonly number[] };
  step: ContainerStep;
  /** The first process of the container, once it is created. */
  process?: ProcessRef;
  /** conmon */
  monitor?: ProcessRef;
  /** Why the OCI runtime has refused to create the container: the error of its start. */
  refusal?: string;
  bootId: string;
  createdAt: bigint;
  startedAt: bigint;
  finishedAt: bigint;
  exitCode: number;
  reason: string;
  message: string;
}
