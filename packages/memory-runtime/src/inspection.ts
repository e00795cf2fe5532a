import type { ContainerConfig, ContainerState, LinuxContainerResources, PodSandboxConfig } from '@nodeagent/cri-api';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { containerMetadata, sandboxMetadata } from './views.js';

/** A snapshot of a container, for tests. */
export interface MemoryContainer {
  id: string;
  name: string;
  attempt: number;
  pod: string;
  namespace: string;
  podUid: string;
  sandboxId: string;
  /** The image name in the pod's spec. */
  image: string;
  state: 'created' | 'running' | 'exited' | 'unknown';
  exitCode: number;
  reason: string;
  /** Nanoseconds since 1970; 0 before the event. */
  createdAt: bigint;
  startedAt: bigint;
  finishedAt: bigint;
  /** The configuration that it was created with. */
  config: ContainerConfig;
  /** Current resources: from its creation or the last update. */
  resources?: LinuxContainerResources;
}

/** A snapshot of a sandbox, for tests. */
export interface MemorySandbox {
  id: string;
  pod: string;
  namespace: string;
  podUid: string;
  attempt: number;
  ready: boolean;
  ips: string[];
  createdAt: bigint;
  /** The configuration that it was created with. */
  config: PodSandboxConfig;
  resources?: LinuxContainerResources;
}

const states: Record<ContainerState, MemoryContainer['state']> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
  CONTAINER_UNKNOWN: 'unknown',
};

export function viewContainer(record: ContainerRecord): MemoryContainer {
  const { name: pod, namespace, uid } = sandboxMetadata(record.sandbox);
  return {
    id: record.id,
    ...containerMetadata(record),
    pod,
    namespace,
    podUid: uid,
    sandboxId: record.sandbox.id,
    image: record.config.image?.userSpecifiedImage || record.config.image?.image || '',
    state: states[record.state],
    exitCode: record.exitCode,
    reason: record.reason,
    createdAt: record.createdAt,
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    config: record.config,
    ...(record.resources && { resources: record.resources }),
  };
}

export function viewSandbox(record: SandboxRecord): MemorySandbox {
  const { name, namespace, uid, attempt } = sandboxMetadata(record);
  return {
    id: record.id,
    pod: name,
    namespace,
    podUid: uid,
    attempt,
    ready: record.state === 'SANDBOX_READY',
    ips: [...record.ips],
    createdAt: record.createdAt,
    config: record.config,
    ...(record.resources && { resources: record.resources }),
  };
}
