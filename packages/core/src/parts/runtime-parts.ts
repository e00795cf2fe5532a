import { createImageManager, createPodImages } from '@nodeagent/image-manager';
import { createEventedPleg, createGenericPleg } from '@nodeagent/pleg';
import { createContainerGc, createRuntimeInventory, createRuntimeMonitor, createUserNamespaces } from '@nodeagent/runtime-manager';
import type { AgentParts, Components } from '../components.js';
import { capabilitiesOf } from '../options/capabilities.js';
import { runtimeCapabilities } from '../options/runtime-capabilities.js';
import { createContainerLogs } from './container-logs.js';
import { createAgentImageGc } from './image-gc.js';
import { createAgentRuntime } from './runtime.js';
import { createAgentVolumes } from './volumes.js';

/** Objects that environments and volumes refer to: those of the options before those of the cluster. */
export function environment({ agent, cluster }: Components): AgentParts['environment'] {
  return { ...cluster?.objects?.environment, ...agent.environment };
}

/** The volumes of the pods. */
export function volumes(c: Components): AgentParts['volumes'] {
  const { agent, host, state } = c;
  const { selinux = false, seLinuxFileLabel } = host.machine;
  return createAgentVolumes({
    agent,
    host,
    environment: c.environment,
    pods: () => state.podManager.pods(),
    podStates: {
      // From the request on, which cancels the pod's sync: a kubelet mounts until the termination starts.
      shouldPodContainersBeTerminating: (uid) =>
        c.podWorkers.isPodTerminationRequested(uid) || c.podWorkers.shouldPodContainersBeTerminating(uid),
      shouldPodRuntimeBeRemoved: (uid) => c.podWorkers.shouldPodRuntimeBeRemoved(uid),
    },
    sourcesReady: state.sources.areAllSeen,
    nodeAllocatable: () => c.node.allocatable(),
    cachedNode: () => c.cluster?.node?.current(),
    pluginHandlers: {
      ...(c.devices && { DevicePlugin: c.devices.registration }),
      ...(c.dynamicResources && { DRAPlugin: c.dynamicResources.registration }),
    },
    selinux,
    ...(seLinuxFileLabel && { seLinuxFileLabel }),
    signal: c.ended.signal,
    ...c.common,
  });
}

/** Pulls images. */
export function imageManager({ agent, host, settings, common }: Components): AgentParts['imageManager'] {
  const { checkpoints } = host;
  return createImageManager({
    images: agent.cri.image,
    ...common,
    ...(checkpoints && { pullRecords: checkpoints.pullRecords }),
    ...(agent.imageCredentials && { credentials: agent.imageCredentials }),
    settings: { ...agent.imageSettings, serializeImagePulls: settings.serializeImagePulls },
  });
}

/** Removes unused images. */
export function imageGc({ agent, host, settings, common, timeline, imageManager }: Components): AgentParts['imageGc'] {
  const { nodeName, cri } = agent;
  return createAgentImageGc({
    nodeName,
    cri: { ...cri, image: timeline.followImages(cri.image) },
    prunePullRecords: (imageRefs, until) => imageManager.pruneUnknownRecords(imageRefs, until),
    settings,
    host,
    ...common,
  });
}

/** Ids of pods' user namespaces; undefined with `parts.runtime`, which assigns its own. */
export function userNamespaces({ agent, host }: Components): AgentParts['userNamespaces'] {
  const { files, podDirs, machine } = host;
  const { podIds, podIdsError } = machine;
  if (agent.parts?.runtime || podIdsError !== undefined) return undefined;
  return createUserNamespaces({ files, podDir: podDirs.podDir, listPods: () => podDirs.list(), ...(podIds && { ids: podIds }) });
}

/** Runs the pods: `parts.runtime`, else the runtime manager over CRI. */
export function runtime(c: Components): AgentParts['runtime'] {
  const { agent, environment, imageManager, state, common, statusManager } = c;
  if (agent.parts?.runtime) return agent.parts.runtime;
  return createAgentRuntime({
    agent,
    host: c.host,
    settings: c.settings,
    podLogsDir: c.logFolders.pods,
    legacyLogsDir: c.logFolders.legacy,
    environment,
    volumes: c.volumes,
    hostIps: () => c.node.hostIps(),
    nodeAllocatable: () => c.node.allocatable(),
    images: createPodImages({
      images: imageManager,
      getSecret: environment.getSecret?.bind(environment),
      signalOf: (uid) => state.syncSignals.get(uid),
      ...common,
    }),
    userNamespaces: c.userNamespaces,
    containerManager: c.containerManager,
    containerHooks: c.resourceManagers?.hooks,
    dynamicResources: c.dynamicResources,
    runtimeHandler: c.cluster?.runtimeHandler,
    probeResults: c.probeManager.results,
    podState: {
      isPodTerminationRequested: (uid) => c.podWorkers.isPodTerminationRequested(uid),
      shouldPodContentBeRemoved: (uid) => c.podWorkers.shouldPodContentBeRemoved(uid),
      shouldPodRuntimeBeRemoved: (uid) => c.podWorkers.shouldPodRuntimeBeRemoved(uid),
    },
    requestReinspect: (uid) => c.pleg.requestReinspect(uid),
    onSandboxReady: (pod) => statusManager.setPodReadyToStartContainers(pod),
    signal: c.ended.signal,
    ...common,
  });
}

/** What the runtime can do beyond its contract, determined once. */
export function capabilities({ runtime }: Components): AgentParts['capabilities'] {
  return capabilitiesOf('parts.runtime', runtime, runtimeCapabilities);
}

/** Keeps the pod cache current. */
export function pleg({ agent, settings, state, common, runtime }: Components): AgentParts['pleg'] {
  const { clock, logger, metrics } = common;
  const { relistPeriodMs, relistThresholdMs, evented } = settings;
  const options = { runtime, cache: state.podCache, clock, relistPeriodMs, relistThresholdMs, logger, metrics };
  if (evented === 'off') return createGenericPleg(options);
  return createEventedPleg({ ...options, evented, containerEvents: (signal) => agent.cri.runtime.getContainerEvents({}, { signal }) });
}

/** Checks the runtime's health. */
export function monitor(c: Components): AgentParts['monitor'] {
  const { settings, emitter, ended, runtime, imageManager } = c;
  const { clock, logger } = c.common;
  /** Resolves the pull intents of the previous run; once, when the runtime first answers. */
  const settlePulls = () =>
    imageManager
      .start(ended.signal)
      .catch((error) =>
        logger.debug({ err: error }, 'resolving the pull intents of the previous run failed; the next status check retries'),
      );
  return createRuntimeMonitor({
    runtime,
    plegError: () => c.pleg.unhealthyReason(),
    clock,
    logger,
    runtimeStatusPeriodMs: settings.runtimeStatusPeriodMs,
    runtimeStatusThresholdMs: settings.runtimeStatusThresholdMs,
    onChange: (errors) => {
      c.syncLoop.trigger();
      emitter.emit('runtime', errors);
      if (errors.length > 0) return;
      void settlePulls();
      void c.eviction?.start(ended.signal);
    },
  });
}

/** The runtime's version and images. */
export function inventory({ agent, common, runtime, capabilities }: Components): AgentParts['inventory'] {
  return createRuntimeInventory({ runtime, versioned: capabilities.versioned, imageService: agent.cri.image, ...common });
}

/** Rotates container logs. */
export function containerLogs({ agent, host, settings, state, common }: Components): AgentParts['containerLogs'] {
  const { clock, logger } = common;
  return createContainerLogs({ cri: agent.cri.runtime, podCache: state.podCache, clock, logger, settings, host });
}

/** Removes dead containers. */
export function cleanup({ settings, state, common, runtime, capabilities, podWorkers }: Components): AgentParts['cleanup'] {
  const { clock, logger } = common;
  return createContainerGc({
    runtime,
    reclaiming: capabilities.reclaiming,
    podCache: state.podCache,
    podWorkers,
    allSourcesReady: state.sources.areAllSeen,
    clock,
    logger,
    containerGCPeriodMs: settings.containerGCPeriodMs,
  });
}
