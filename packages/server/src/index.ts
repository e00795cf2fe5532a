/**
 * A kubelet's HTTP API: pods, logs, exec, attach and port-forward, figures and metrics, behind the authentication and authorization of
 * Kubernetes. What it serves comes from small ports; what it decides about requests are pure functions.
 *
 * @packageDocumentation
 */
export type { AuthenticationOptions } from './access/authenticator.js';
export type { AuthorizationOptions } from './access/authorizer.js';
export {
  type CheckpointContainerOptions,
  createCheckpointContainer,
  createRunInContainer,
  type RunInContainerOptions,
} from './adapters/container-commands.js';
export { createNodePods, listRunningPods } from './adapters/node-pods.js';
export { createNodeStreaming } from './adapters/node-streaming.js';
export { forbiddenText, type RequestAttributes, requestAttributes } from './auth-attributes.js';
export { chooseLogContainer, type LogContainer, type LogContainerInput } from './choose-log-container.js';
export {
  type ContainerLogsGates,
  type ContainerLogsRefusal,
  type ContainerLogsRequest,
  type PodLogOptions,
  parseContainerLogsRequest,
  type WantedContainerLogs,
} from './container-logs-request.js';
export { serverErrorCodes } from './errors.js';
export { type HealthAnswer, type HealthCheckResult, healthzAnswer } from './healthz.js';
export type { ListenAddress } from './http/listener.js';
export { createMetricsRegistry, type MetricsRegistry, type MetricsRegistryOptions } from './metrics/registry.js';
export {
  createNodeServer,
  type HttpsOptions,
  type NodeServer,
  type NodeServerOptions,
  type NodeServerSettings,
  type ServedPorts,
} from './node-server.js';
export type {
  CheckpointContainer,
  HealthChecks,
  LogReadRequest,
  NodeLogs,
  NodePods,
  NodeStats,
  NodeStreaming,
  RequestedStreams,
  RunInContainer,
  RunningPod,
} from './ports.js';
export { type RelayStreamOptions, relayStream } from './relay-stream.js';
export { type RelayUpgradeOptions, relayUpgrade } from './relay-upgrade.js';
export { type RequestLabels, requestLabels } from './request-labels.js';
export { type MetricsPage, type PathTarget, type Refusal, type Route, type RouteSwitches, route } from './route.js';
export { type SyncLoopCheckInput, syncLoopHealthCheck } from './sync-loop-check.js';
export {
  ensureServingCertificate,
  type ServingCertificate,
  type ServingCertificateFiles,
  selfSignedCertificate,
} from './tls/self-signed.js';
export { type TlsFilesOptions, tlsFiles } from './tls/tls-files.js';
export type { TlsMaterial, TlsSource } from './tls/tls-source.js';
