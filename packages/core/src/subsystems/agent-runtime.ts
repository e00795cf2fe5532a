import { join } from 'node:path';
import {
  type Clock,
  type EnvironmentPorts,
  type EventRecorder,
  type Logger,
  type Metrics,
  Quantity,
  type Random,
  type ResourceList,
} from '@nodeagent/api';

import {
  createPodCgroupParent,
  createRuntimeManager,
  type RuntimeManager,
  type RuntimeManagerOptions,
  type UserNamespaces,
} from '@nodeagent/runtime-manager';
import type { NodeHost } from '../host/node-host.js';
import type { AgentOptions } from '../options/agent-options.js';
import type { NodeAgentSettings } from '../options/settings.js';
import { createPodEnvironment } from '../pods/pod-environment.js';
import type { AgentVolumeManager } from './agent-volumes.js';

export interface AgentRuntimeOptions
  extends Pick<
    RuntimeManagerOptions,
    'images' | 'podLogsDir' | 'legacyLogsDir' | 'probeResults' | 'podState' | 'requestReinspect' | 'onSandboxReady'
  > {
  agent: Pick<AgentOptions, 'nodeName' | 'cri' | 'rootDir' | 'runtimeOptions'>;
  host: Pick<NodeHost, 'machine' | 'readResolvConf' | 'files' | 'podDirs' | 'checkpoints'>;
  settings: Readonly<NodeAgentSettings>;
  environment: EnvironmentPorts;
  volumes: Pick<AgentVolumeManager, 'readEnvFile' | 'runtimeOptions'>;
  /** Undefined: pods cannot have user namespaces. */
  userNamespaces: UserNamespaces | undefined;
  /** Resolves to the handler of a RuntimeClass; undefined: pods cannot have a runtime class. */
  runtimeHandler: ((runtimeClassName: string) => Promise<string>) | undefined;
  hostIps(): readonly string[];
  nodeAllocatable(): ResourceList;
  /** Aborted when the agent stops. */
  signal: AbortSignal;
  clock: Clock;
  random: Random;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

/** The runtime manager over CRI. */
export function createAgentRuntime(options: AgentRuntimeOptions): RuntimeManager {
  const { agent, host, settings, environment, userNamespaces, volumes, nodeAllocatable, runtimeHandler, hostIps, ...ports } = options;
  const { nodeName, cri, rootDir, runtimeOptions } = agent;
  const { machine, files, podDirs, checkpoints } = host;
  const cgroupParent = createPodCgroupParent(settings.cgroupDriver);
  return createRuntimeManager({
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
      ...(host.readResolvConf && { readResolvConf: (path) => host.readResolvConf?.(path) ?? '' }),
      recorder: ports.recorder,
      ports: { readEnvFile: volumes.readEnvFile, ...environment },
    }),
    clusterDomain: settings.clusterDomain,
    ...(settings.cgroupsPerQOS && { cgroupParent }),
    ...volumes.runtimeOptions,
    machine: { ...machine, allocatableMemoryBytes: () => memoryOf(nodeAllocatable()) ?? machine.memoryBytes },
    ...(checkpoints && { actuatedState: checkpoints.actuatedResources }),
    settings: { ...runtimeOptions?.settings, maxContainerRestartPeriodSeconds: settings.maxContainerRestartPeriodMs / 1000 },
  });
}

/** In bytes. */
function memoryOf({ memory }: ResourceList): bigint | undefined {
  return memory === undefined ? undefined : Quantity.parse(memory).value();
}
