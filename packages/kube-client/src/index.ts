/**
 * A thin Kubernetes API client: kubeconfig, typed calls, and informers that survive outages.
 * The pure functions are in `@nodeagent/kube-client/decisions`.
 *
 * @packageDocumentation
 */
export type { ClientCertificate } from './auth/credentials.js';
export type { ProgramRequest, ProgramResult, RunProgram } from './auth/run-program.js';
export { createKubeClient, type KubeClient, type KubeClientOptions, type RawOptions, type ServerVersion } from './client.js';
export type { ClientIdentity, ClusterConfig, ExecPluginConfig, KubeconfigFiles, Pem } from './config/cluster-config.js';
export { type ParseKubeconfigOptions, parseKubeconfig } from './config/parse-kubeconfig.js';
export type { Environment } from './config/proxy.js';
export { kubeClientErrorCodes, type UnreachableStage } from './errors.js';
export type { InformerEvent, KubeInformer } from './informer/contracts.js';
export type { KubeKinds } from './resources/kinds.js';
export type { ObjectList, Selection } from './resources/list.js';
export type { ResourceDefinition } from './resources/paths.js';
export type { KubeResource, ListOptions } from './resources/resource.js';
export { createInProcessTransport, type InProcessServer } from './transport/in-process-transport.js';
export type { ClientTls, Transport, TransportRequest, TransportResponse } from './transport/transport.js';
