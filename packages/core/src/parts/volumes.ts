import { type EnvironmentPorts, type Pod, podUid, type Startable, type VolumeManager } from '@nodeagent/api';
import { createVolumeManager } from '@nodeagent/volume-manager';
import { createPayloadSources, createTokenManager, type TokenManager } from '@nodeagent/volume-plugins';
import type { AgentParts, Components } from '../components.js';
import type { ChosenVolumeParts } from '../host/node-host.js';
import type { VolumeParts, VolumePartsOptions } from '../host/node-volumes.js';
import type { AgentOptions, RuntimeOptions } from '../options/agent-options.js';
import { capabilitiesOf } from '../options/capabilities.js';
import { type VolumeCapabilities, volumeCapabilities } from '../options/volume-capabilities.js';
import { withAddedPlugins } from '../options/volume-plugins.js';

/** The volumes of an agent's pods, as the other parts use them. */
export interface AgentVolumeManager extends Startable {
  manager: VolumeManager;
  /** What the manager can do beyond its contract. */
  capabilities: VolumeCapabilities;
  /** Why the node's storage is not ready. */
  storageErrors(): readonly string[];
  /** Reads environment variables from files of volumes. */
  readEnvFile: NonNullable<EnvironmentPorts['readEnvFile']>;
  /** Options of the runtime manager that prepare volumes for containers. */
  runtimeOptions: Pick<RuntimeOptions, 'prepareSubPath' | 'extraSupplementalGroups'> & {
    mountedVolumes: VolumeManager['getMountedVolumesForPod'];
  };
}

/**
 * The volumes of the pods: those of `volumeManager` in the options, else of the options' plugins, else the host's. `volumePlugins` are added
 * to the latter two.
 */
export function volumes(c: Components): AgentParts['volumes'] {
  const { agent, state, common } = c;
  if (agent.volumeManager) return agentVolumes(agent, agent.volumeManager, {});
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
  return agentVolumes(agent, manager, { ...parts, members: [forgetTokens, ...(parts.members ?? [])] });
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

function agentVolumes(
  { runtimeOptions }: AgentOptions,
  manager: AgentVolumeManager['manager'],
  { members = [], prepareSubPath, readFile, notReadyReason }: Partial<VolumeParts>,
): AgentVolumeManager {
  const capabilities = capabilitiesOf('volumeManager', manager, volumeCapabilities);
  const inOrder = [...members, capabilities.reconciling];
  const subPaths = runtimeOptions?.prepareSubPath ?? prepareSubPath;
  return {
    manager,
    capabilities,
    storageErrors: () => [notReadyReason?.()].filter((reason) => reason !== undefined),
    async readEnvFile(pod, volumeName, path) {
      const volume = manager.getMountedVolumesForPod(podUid(pod)).get(volumeName);
      return volume && readFile?.(volume.hostPath, path);
    },
    runtimeOptions: {
      mountedVolumes: (uid) => manager.getMountedVolumesForPod(uid),
      ...(subPaths && { prepareSubPath: subPaths }),
      extraSupplementalGroups: (pod: Pod) => [
        ...(runtimeOptions?.extraSupplementalGroups?.(pod) ?? []),
        ...capabilities.grouping.getExtraSupplementalGroupsForPod(pod),
      ],
    },
    async start(signal) {
      for (const member of inOrder) await member.start(signal);
    },
    async stop() {
      for (const member of inOrder.toReversed()) await member.stop();
    },
  };
}
