/**
 * `createNodeAgent`: a node agent composed of the kubelet's subsystems, on a host that it is given. Runs anywhere; on a machine with Node.js
 * import `@nodeagent/core/node`, which has all of this entry.
 * @packageDocumentation
 */

export type { PodWorkerExplanation, PodWorkerLastSync, PullInProgress } from '@nodeagent/api';
export type { PodCgroup } from '@nodeagent/container-manager';
export type { CountedEvent, RecordedEvent } from '@nodeagent/event-recorder';
export { type CredentialProvider, parseCredentialProviderConfig } from '@nodeagent/image-manager';
export { createHttpSource, type HttpSourceOptions } from '@nodeagent/pod-sources';
export { createMemoryFiles, type MemoryFiles, type PodFiles } from '@nodeagent/runtime-manager';
export { chooseStatsSource, type StatsSource } from '@nodeagent/stats';
export type { AlignmentExplanation, PodTopologyExplanation } from '@nodeagent/topology-manager';
export type { ClusterOptions, ClusterParts } from './cluster/cluster.js';
export type { ClusterNode, ClusterNodeContext } from './cluster/cluster-node.js';
export type { ClusterObjects } from './cluster/cluster-objects.js';
export type { ClusterStorage } from './cluster/cluster-storage.js';
export { type ClusterClient, type HeartbeatClient, type JoinClusterOptions, joinCluster } from './cluster/join-cluster.js';
export type { NodeCertificates, NodeCertificatesExplanation } from './cluster/node-certificates.js';
export type { AgentParts, Components, PartFactories, PartReplacements } from './components.js';
export { type AgentNode, type AgentResourceManagers, allSettings, type SettingPath, settingGroups } from './config/setting-groups.js';
export { defaultSettings, effectiveSettings, type NodeAgentSettings, nodeAgentSettings } from './config/settings.js';
export { createNodeAgent } from './create-node-agent.js';
export { coreErrorCodes } from './errors.js';
export type { KubeletProcess } from './host/kubelet-process.js';
export type { MachineFacts } from './host/machine-facts.js';
export { createMemoryCheckpoints } from './host/memory-checkpoints.js';
export { type MemoryHostOptions, memoryHost } from './host/memory-host.js';
export { createMemoryPodDirs } from './host/memory-pod-dirs.js';
export type { Checkpoints, DevicePluginPorts, NodeHost } from './host/node-host.js';
export type { PodDirs } from './host/pod-dirs.js';
export { type AgentConfiguration, configurationOf, mergeAgentConfigurations } from './kubelet-configuration/agent-configuration.js';
export type { NodeAgentOptions } from './node-agent-options.js';
export type {
  AgentEviction,
  AgentOptions,
  AgentServer,
  AgentShutdown,
  AgentVolumes,
  RuntimeOptions,
} from './options/agent-options.js';
export type { CriServices } from './options/cri-services.js';
export type { ContainerAssignment, NodeAgent, NodeAgentEvents, PodAssignments, PodExplanation, PodView } from './options/node-agent.js';
export { loadResourceManagers } from './parts/resource-managers/manager-packages.js';
export type { ContainerBackOff } from './state/back-offs.js';
