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
import type { ContainerManager } from '@nodeagent/container-manager';
import type { DraManager } from '@nodeagent/dra-manager';
import { createRuntimeManager, type RuntimeManager, type RuntimeManagerOptions, type UserNamespaces } from '@nodeagent/runtime-manager';
import type { NodeHost } from '../host/node-host.js';
import type { AgentOptions } from '../options/agent-options.js';
import type { NodeAgentSettings } from '../options/settings.js';
import { createPodEnvironment } from '../pods/pod-environment.js';
import { type ContainerHooks, combineHooks } from './resource-managers/container-hooks.js';
import { draRuntimeOptions } from './runtime/claim-options.js';
import { combineDeviceOptions } from './runtime/device-options.js';
import type { AgentVolumeManager } from './volumes.js';

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
  /** Undefined: pods have no separate cgroups. */
  containerManager: ContainerManager | undefined;
  /** Undefined: no resource manager is on. */
  containerHooks: ContainerHooks | undefined;
  /** Undefined: pods cannot have resource claims. */
  dynamicResources: DraManager | undefined;
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
  const {
    agent,
    host,
    settings,
    environment,
    userNamespaces,
    containerManager,
    containerHooks,
    dynamicResources,
    volumes,
    nodeAllocatable,
    runtimeHandler,
    hostIps,
    ...ports
  } = options;
  const { nodeName, cri, rootDir, runtimeOptions } = agent;
  const { machine, files, podDirs, checkpoints } = host;
  const draOptions = dynamicResources && draRuntimeOptions(dynamicResources);
  const deviceOptions = combineDeviceOptions([runtimeOptions?.deviceOptions, containerHooks?.deviceOptions, draOptions?.deviceOptions]);
  return createRuntimeManager({
    ...ports,
    ...(runtimeHandler && { runtimeHandler }),
    ...(containerManager && cgroupOptions(containerManager)),
    ...draOptions,
    ...runtimeOptions,
    ...combineHooks(containerHooks, runtimeOptions),
    ...(deviceOptions && { deviceOptions }),
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
    ...volumes.runtimeOptions,
    machine: { ...machine, allocatableMemoryBytes: () => memoryOf(nodeAllocatable()) ?? machine.memoryBytes },
    ...(checkpoints && { actuatedState: checkpoints.actuatedResources }),
    settings: { ...runtimeOptions?.settings, maxContainerRestartPeriodSeconds: settings.maxContainerRestartPeriodMs / 1000 },
  });
}

/** Where the runtime places sandboxes, and the cgroups that a resize changes. */
function cgroupOptions(manager: ContainerManager): Pick<RuntimeManagerOptions, 'cgroupParent' | 'podCgroups'> {
  return {
    cgroupParent: (pod) => (manager.isEnabled ? manager.pods.parent(pod) : ''),
    podCgroups: {
      memoryUsage: async (pod) => (manager.isEnabled ? manager.pods.memoryUsage(pod) : undefined),
      async resize(pod, resource, bound) {
        if (manager.isEnabled) await manager.pods.resize(pod, resource, bound);
      },
    },
  };
}

/** In bytes. */
function memoryOf({ memory }: ResourceList): bigint | undefined {
  return memory === undefined ? undefined : Quantity.parse(memory).value();
}
