import type { NodeVolumeManager, Startable, VolumeManager } from '@nodeagent/api';
import type { readVolumeFile, SubPaths } from '@nodeagent/mount-utils';
import { createVolumeManager } from '@nodeagent/volume-manager';
import { createPayloadSources, createTokenManager, type TokenManager } from '@nodeagent/volume-plugins';
import type { AgentParts, Components } from '../components.js';
import type { ChosenVolumeParts } from '../host/node-host.js';
import type { VolumePartsOptions } from '../host/volume-parts.js';
import { withAddedPlugins } from '../options/volume-plugins.js';

/** The volume manager of an agent; started and stopped with it if it has `start` and `stop`. */
export interface AgentVolumeManager extends VolumeManager, Partial<Omit<NodeVolumeManager, keyof VolumeManager>> {
  /** Gives a safe path for a mount with a subPath. Default: such containers do not start. */
  prepareSubPath?: SubPaths['prepare'] | undefined;
  /** Reads a file of a mounted volume, for environment variables. Default: there are none. */
  readFile?: typeof readVolumeFile | undefined;
  /** Why the node's storage is not ready; undefined if it is. Default: it is ready. */
  notReadyReason?: (() => string | undefined) | undefined;
}

/** Mounts the volumes of pods: with the plugins of the options, else the host's, and in addition `volumePlugins`. */
export function volumeManager(c: Components): AgentParts['volumeManager'] {
  const { agent, state, common } = c;
  const { rootDir, nodeName, cluster } = agent;
  const { persistentVolumeClaims, persistentVolumes, nodes } = cluster?.storage ?? {};
  const { seLinuxFileLabel } = c.host.machine;
  const tokens = createTokens(c);
  const specName: VolumePartsOptions['specName'] = (uid, volume) => manager.getMountedVolumesForPod(uid).get(volume)?.specName;
  const parts: ChosenVolumeParts = agent.volumes?.plugins ? agent.volumes : hostVolumes(c, tokens, specName);
  const manager = createVolumeManager({
    ...common,
    rootDir,
    nodeName,
    pods: () => state.podManager.pods(),
    podStates: {
      // From the request on, which cancels the pod's sync: a kubelet mounts until the termination starts.
      shouldPodContainersBeTerminating: (uid) =>
        c.podWorkers.isPodTerminationRequested(uid) || c.podWorkers.shouldPodContainersBeTerminating(uid),
      shouldPodRuntimeBeRemoved: (uid) => c.podWorkers.shouldPodRuntimeBeRemoved(uid),
    },
    sourcesReady: state.sources.areAllSeen,
    cachedNode: () => c.cluster?.node?.current(),
    ...(seLinuxFileLabel && { seLinuxFileLabel }),
    ...(persistentVolumeClaims && { claims: persistentVolumeClaims, claimStatuses: persistentVolumeClaims }),
    ...(persistentVolumes && { persistentVolumes }),
    ...(nodes && { nodes }),
    ...agent.volumes,
    plugins: withAddedPlugins(parts.plugins, agent.volumePlugins),
    node: parts.node,
  });
  const forgetTokens: Startable = { start: async () => {}, stop: async () => tokens.stop() };
  const { prepareSubPath, readFile, notReadyReason, members = [] } = parts;
  return { ...manager, prepareSubPath, readFile, notReadyReason, ...startedInOrder([forgetTokens, ...members, manager]) };
}

/** Tokens of service accounts for pods. */
function createTokens({ agent, common }: Components): TokenManager {
  const { serviceAccounts } = agent.cluster?.storage ?? {};
  return createTokenManager({
    ...(serviceAccounts && {
      requestToken: (namespace, name, request, signal) => serviceAccounts.createToken({ namespace, name }, request, { signal }),
    }),
    ...common,
  });
}

/** The volume plugins of the host. */
function hostVolumes(c: Components, tokens: TokenManager, specName: VolumePartsOptions['specName']): ChosenVolumeParts {
  const { agent, host, environment, common, ended, devices, dynamicResources } = c;
  const { rootDir, nodeName, sharedRoot = true, cluster } = agent;
  return host.createVolumes({
    rootDir,
    nodeName,
    isRootShared: sharedRoot,
    sources: createPayloadSources({ environment, nodeAllocatable: () => c.node.allocatable(), tokens }),
    tokens,
    specName,
    storage: cluster?.storage ?? {},
    pluginHandlers: {
      ...(devices && { DevicePlugin: devices.registration }),
      ...(dynamicResources && { DRAPlugin: dynamicResources.registration }),
    },
    selinux: host.machine.selinux ?? false,
    signal: ended.signal,
    ...common,
  });
}

/** Starts the members in order, and stops them in reverse. */
function startedInOrder(members: readonly Startable[]): Startable {
  return {
    async start(signal) {
      for (const member of members) await member.start(signal);
    },
    async stop() {
      for (const member of members.toReversed()) await member.stop();
    },
  };
}
