import {
  type Clock,
  type EnvironmentPorts,
  type EventRecorder,
  type Logger,
  type Metrics,
  type Node,
  type Pod,
  podUid,
  type Random,
  type ResourceList,
  type Startable,
  type VolumeManager,
} from '@nodeagent/api';
import { createVolumeManager, type VolumeManagerOptions } from '@nodeagent/volume-manager';
import { createPayloadSources, createTokenManager } from '@nodeagent/volume-plugins';
import type { ClusterNodeContext } from '../cluster/cluster-node.js';
import type { ChosenVolumeParts, NodeHost } from '../host/node-host.js';
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

export interface AgentVolumesOptions extends Pick<VolumeManagerOptions, 'pods' | 'podStates' | 'sourcesReady' | 'seLinuxFileLabel'> {
  agent: AgentOptions;
  host: Pick<NodeHost, 'createVolumes'>;
  environment: EnvironmentPorts;
  nodeAllocatable(): ResourceList;
  cachedNode(): Node | undefined;
  /** Handlers of plugins other than CSI drivers, by type. */
  pluginHandlers: VolumePartsOptions['pluginHandlers'];
  selinux: boolean;
  signal: AbortSignal;
  clock: Clock;
  random: Random;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

/**
 * The agent's volumes: those of `volumeManager` in the options, else of the options' plugins, else the host's. `volumePlugins` are added to
 * the latter two.
 */
export function createAgentVolumes(options: AgentVolumesOptions): AgentVolumeManager {
  const { agent, host, environment, nodeAllocatable, pluginHandlers, selinux, signal, ...common } = options;
  if (agent.volumeManager) return agentVolumes(agent, agent.volumeManager, {});
  const { rootDir, nodeName, volumes } = agent;
  const { persistentVolumeClaims, persistentVolumes, nodes, serviceAccounts, ...storage } = agent.cluster?.storage ?? {};
  const tokens = createTokenManager({
    ...(serviceAccounts && {
      requestToken: (namespace, name, request, signal) => serviceAccounts.createToken({ namespace, name }, request, { signal }),
    }),
    clock: common.clock,
    random: common.random,
    logger: common.logger,
  });
  const sources = createPayloadSources({ environment, nodeAllocatable, tokens });
  const specName: VolumePartsOptions['specName'] = (uid, volume) => manager.getMountedVolumesForPod(uid).get(volume)?.specName;
  const ownParts = () =>
    host.createVolumes({
      ...common,
      ...{ rootDir, nodeName, sources, tokens, specName, pluginHandlers, selinux, signal, isRootShared: agent.sharedRoot ?? true },
      storage: { ...storage, ...(nodes && { nodes }) },
    });
  const parts: ChosenVolumeParts = volumes?.plugins ? volumes : ownParts();
  const manager = createVolumeManager({
    ...common,
    rootDir,
    nodeName,
    ...(persistentVolumeClaims && { claims: persistentVolumeClaims, claimStatuses: persistentVolumeClaims }),
    ...(persistentVolumes && { persistentVolumes }),
    ...(nodes && { nodes }),
    ...volumes,
    plugins: withAddedPlugins(parts.plugins, agent.volumePlugins),
    node: parts.node,
  });
  const forgetTokens: Startable = { start: async () => {}, stop: async () => tokens.stop() };
  return agentVolumes(agent, manager, { ...parts, members: [forgetTokens, ...(parts.members ?? [])] });
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

/** The volume manager as the node status uses it. */
export function nodeVolumeFacts(volumes: () => AgentVolumeManager): Pick<ClusterNodeContext, 'volumes' | 'storageErrors'> {
  const attaching = () => volumes().capabilities.attaching;
  return {
    storageErrors: () => volumes().storageErrors(),
    volumes: {
      get hasSynced() {
        return attaching().reconcilerStatesHasBeenSynced();
      },
      volumesInUse: () => attaching().getVolumesInUse(),
      markVolumesAsReportedInUse: (names) => attaching().markVolumesAsReportedInUse(names),
    },
  };
}
