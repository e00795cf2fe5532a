import { join } from 'node:path';
import {
  type Clock,
  type EnvironmentPorts,
  type EventRecorder,
  errorMessage,
  type Logger,
  type Metrics,
  type Pod,
  Quantity,
  type Random,
  type ResourceList,
  type Runtime,
} from '@nodeagent/api';
import { createRuntimeManager, createUserNamespaces, type RuntimeManager, type RuntimeManagerOptions } from '@nodeagent/runtime-manager';
import type { NodeAgentOptions } from './agent-types.js';
import type { AgentVolumeManager } from './agent-volumes.js';
import { cgroupParent } from './cgroup-parent.js';
import type { NodeHost } from './host/node-host.js';
import { createPodEnvironment } from './pod-environment.js';
import type { NodeAgentSettings } from './settings.js';

export interface AgentRuntimeOptions
  extends Pick<
    RuntimeManagerOptions,
    'images' | 'podLogsDir' | 'legacyLogsDir' | 'probeResults' | 'podState' | 'requestReinspect' | 'onSandboxReady'
  > {
  agent: Pick<NodeAgentOptions, 'nodeName' | 'cri' | 'rootDir' | 'runtimeOptions' | 'parts'>;
  host: Pick<NodeHost, 'machine' | 'files' | 'podDirs' | 'checkpoints'>;
  settings: Readonly<NodeAgentSettings>;
  environment: EnvironmentPorts;
  volumes: Pick<AgentVolumeManager, 'readEnvFile' | 'runtimeOptions'>;
  /** The handler of a RuntimeClass; without it pods cannot have any. */
  runtimeHandler: ((runtimeClassName: string) => Promise<string>) | undefined;
  hostIps(): readonly string[];
  nodeAllocatable(): ResourceList;
  /** The agent's end. */
  signal: AbortSignal;
  clock: Clock;
  random: Random;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

export interface AgentRuntime {
  runtime: Runtime & Partial<RuntimeManager>;
  /** Frees what pods had that are not in the set. */
  retain(known: ReadonlySet<string>): void;
}

/** What brings pods to the container runtime: the part of the options, else the runtime manager over CRI. */
export function createAgentRuntime(options: AgentRuntimeOptions): AgentRuntime {
  const { agent, host, settings, environment, volumes, nodeAllocatable, runtimeHandler, hostIps, ...ports } = options;
  const { nodeName, cri, rootDir, runtimeOptions, parts = {} } = agent;
  if (parts.runtime) return { runtime: parts.runtime, retain: () => {} };
  const { recorder, logger } = ports;
  const { machine, files, podDirs, checkpoints } = host;
  const { podIds, podIdsError } = machine;
  const userNamespaces =
    podIdsError === undefined
      ? createUserNamespaces({ files, podDir: podDirs.podDir, listPods: () => podDirs.list(), ...(podIds && { ids: podIds }) })
      : undefined;
  const runtime = createRuntimeManager({
    ...ports,
    ...(runtimeHandler && { runtimeHandler }),
    ...runtimeOptions,
    cri: cri.runtime,
    imageService: cri.image,
    files,
    podDir: podDirs.podDir,
    seccompDir: join(rootDir, 'seccomp'),
    ...(userNamespaces && { userNamespaces }),
    ...createPodEnvironment({
      settings,
      nodeName,
      hostIps,
      nodeAllocatable,
      recorder,
      ports: { readEnvFile: volumes.readEnvFile, ...environment },
    }),
    clusterDomain: settings.clusterDomain,
    ...(settings.cgroupsPerQOS && { cgroupParent: (pod: Pod) => cgroupParent(pod, settings.cgroupDriver) }),
    ...volumes.runtimeOptions,
    machine: { ...machine, allocatableMemoryBytes: () => memoryOf(nodeAllocatable()) ?? machine.memoryBytes },
    ...(checkpoints && { actuatedState: checkpoints.actuatedResources }),
    settings: { ...runtimeOptions?.settings, maxContainerRestartPeriodSeconds: settings.maxContainerRestartPeriodMs / 1000 },
  });
  return {
    runtime,
    retain: (known) =>
      void userNamespaces
        ?.retain(known)
        .catch((error) => logger.warn({ error }, `user namespaces are freed later: ${errorMessage(error)}`)),
  };
}

/** In bytes. */
function memoryOf({ memory }: ResourceList): bigint | undefined {
  return memory === undefined ? undefined : Quantity.parse(memory).value();
}
