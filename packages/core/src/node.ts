/**
 * Everything of `@nodeagent/core`, with this machine as the default host of `createNodeAgent` and `joinCluster`, and with the parts that open
 * sockets.
 * @packageDocumentation
 */
export { createDockerConfigKeyring, createExecCredentialProvider, type ExecCredentialProviderOptions } from '@nodeagent/image-manager/node';
export { createFileSource, type FileSourceOptions } from '@nodeagent/pod-sources/node';
export * from './index.js';
export { createNodeAgent, type NodeAgentOptions } from './machine/create-node-agent.js';
export { loadResourceManagers } from './machine/device-manager-package.js';
export { type JoinClusterOptions, joinCluster } from './machine/join-cluster.js';
export { findKubelets } from './machine/kubelet-processes.js';
export { readMachineFacts } from './machine/machine-facts.js';
export { type MachineHostOptions, machineHost } from './machine/machine-host.js';
export { machineParts } from './machine/machine-parts.js';
export { createNodeCertificates, type NodeCertificatesOptions } from './machine/node-certificates.js';
export { createPodDirs } from './machine/pod-dirs.js';
