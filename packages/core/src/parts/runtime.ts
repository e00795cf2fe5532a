import type { Pod, ResourceList } from '@nodeagent/api';
import { join, podUid, Quantity } from '@nodeagent/api/helpers';
import type { ContainerManager } from '@nodeagent/container-manager';
import type { DraManager } from '@nodeagent/dra-manager';
import { createPodImages } from '@nodeagent/image-manager';
import { createRuntimeManager, type RuntimeManagerOptions } from '@nodeagent/runtime-manager';
import type { AgentParts, Components } from '../components.js';
import { createPodEnvironment } from '../pods/pod-environment.js';
import { combineHooks } from './resource-managers/container-hooks.js';
import { combineDeviceOptions } from './runtime/device-options.js';

/** Runs the pods: the runtime manager over CRI. */
export function runtime(c: Components): AgentParts['runtime'] {
  const { agent, host, settings, logFolders, common, imageManager, environment, state, statusManager } = c;
  const { cri, rootDir, runtimeOptions } = agent;
  const { files, podDirs, checkpoints } = host;
  return createRuntimeManager({
    ...containerOptions(c),
    cri: cri.runtime,
    imageService: cri.image,
    images: createPodImages({
      images: imageManager,
      getSecret: environment.getSecret?.bind(environment),
      signalOf: (uid) => state.syncSignals.get(uid),
      ...common,
    }),
    files,
    hookHttpGet: host.hookHttpGet,
    podDir: podDirs.podDir,
    podLogsDir: logFolders.pods,
    legacyLogsDir: logFolders.legacy,
    seccompDir: join(rootDir, 'seccomp'),
    ...(c.userNamespaces && { userNamespaces: c.userNamespaces }),
    ...podEnvironment(c),
    clusterDomain: settings.clusterDomain,
    ...volumeOptions(c),
    machine: machine(c),
    ...(checkpoints && { actuatedState: checkpoints.actuatedResources }),
    allocationsSaved: async () => c.allocation.saved?.(),
    probeResults: c.probeManager.results,
    podState: {
      isPodTerminationRequested: (uid) => c.podWorkers.isPodTerminationRequested(uid),
      shouldPodContentBeRemoved: (uid) => c.podWorkers.shouldPodContentBeRemoved(uid),
      shouldPodRuntimeBeRemoved: (uid) => c.podWorkers.shouldPodRuntimeBeRemoved(uid),
    },
    requestReinspect: (uid) => c.pleg.requestReinspect(uid),
    onSandboxReady: (pod) => statusManager.setPodReadyToStartContainers(pod),
    settings: { ...runtimeOptions?.settings, maxContainerRestartPeriodMs: settings.maxContainerRestartPeriodMs },
    signal: c.ended.signal,
    ...common,
  });
}

/** What other components add to the containers: runtime classes, cgroups, devices, CPUs and memory. Those of the options take precedence. */
function containerOptions({ agent, cluster, containerManager, dynamicResources, resourceManagers }: Components) {
  const { runtimeOptions } = agent;
  const hooks = resourceManagers?.hooks;
  const claims = dynamicResources && claimOptions(dynamicResources);
  const deviceOptions = combineDeviceOptions([runtimeOptions?.deviceOptions, hooks?.deviceOptions, claims?.deviceOptions]);
  return {
    ...(cluster?.runtimeHandler && { runtimeHandler: cluster.runtimeHandler }),
    ...(containerManager && cgroupOptions(containerManager)),
    ...claims,
    ...runtimeOptions,
    ...combineHooks(hooks, runtimeOptions),
    ...(deviceOptions && { deviceOptions }),
  };
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

/** Prepares the resource claims of pods, and gives their devices to containers. */
function claimOptions(manager: DraManager): Required<Pick<RuntimeManagerOptions, 'prepareDynamicResources' | 'deviceOptions'>> {
  return {
    prepareDynamicResources: (pod, signal) => manager.prepareResources(pod, signal),
    deviceOptions: async (pod, container) => ({ cdiDevices: manager.getCdiDevices(pod, container).map((name) => ({ name })) }),
  };
}

/** How the volumes of a pod get into its containers. */
function volumeOptions({ agent, volumeManager, volumes }: Components) {
  const { runtimeOptions } = agent;
  const prepareSubPath = runtimeOptions?.prepareSubPath ?? volumeManager.prepareSubPath?.bind(volumeManager);
  return {
    mountedVolumes: (uid: string) => volumeManager.getMountedVolumesForPod(uid),
    ...(prepareSubPath && { prepareSubPath }),
    extraSupplementalGroups: (pod: Pod) => [
      ...(runtimeOptions?.extraSupplementalGroups?.(pod) ?? []),
      ...volumes.grouping.getExtraSupplementalGroupsForPod(pod),
    ],
  };
}

/** The variables and the DNS settings of containers. */
function podEnvironment(c: Components) {
  const { agent, host, settings, common, environment, volumeManager } = c;
  return createPodEnvironment({
    settings,
    nodeName: agent.nodeName,
    hostIps: () => c.node.hostIps(),
    nodeAllocatable: () => c.node.allocatable(),
    ...(host.readResolvConf && { readResolvConf: (path) => host.readResolvConf?.(path) ?? '' }),
    recorder: common.recorder,
    ports: {
      async readEnvFile(pod, volumeName, path) {
        const volume = volumeManager.getMountedVolumesForPod(podUid(pod)).get(volumeName);
        return volume && volumeManager.readFile?.(volume.hostPath, path);
      },
      ...environment,
    },
  });
}

/** The machine, with the allocatable memory of the node. */
function machine(c: Components): RuntimeManagerOptions['machine'] {
  const { machine } = c.host;
  return { ...machine, allocatableMemoryBytes: () => memoryOf(c.node.allocatable()) ?? machine.memoryBytes };
}

/** In bytes. */
function memoryOf({ memory }: ResourceList): bigint | undefined {
  return memory === undefined ? undefined : Quantity.parse(memory).value();
}
