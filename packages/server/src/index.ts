/**
 * The kubelet's HTTP API: pods, logs, exec, attach, port-forward, stats and metrics, with the kubelet's authentication and authorization.
 * Small ports supply what it serves. The pure functions are exported from `@nodeagent/server/decisions`.
 *
 * @packageDocumentation
 */
export type { AuthenticationOptions } from './access/authenticator.js';
export type { AuthorizationOptions } from './access/authorization-options.js';
export {
  type CheckpointContainerOptions,
  createCheckpointContainer,
  createRunInContainer,
  type RunInContainerOptions,
} from './adapters/container-commands.js';
export { createNodePods, listRunningPods } from './adapters/node-pods.js';
export { serverErrorCodes } from './errors.js';
export type { HealthCheckResult } from './healthz.js';
export type { ListenAddress } from './http/listener.js';
export { createMetricsRegistry, type MetricsRegistry, type MetricsRegistryOptions } from './metrics/registry.js';
export { createNodeServer, type NodeServer, type ServedPorts } from './node-server.js';
export type { HttpsOptions, NodeServerOptions, UiViewer } from './options.js';
export type {
  AgentVersions,
  CheckpointContainer,
  HealthChecks,
  LogReadRequest,
  NodeLogs,
  NodePods,
  NodeStatsPages,
  NodeStreaming,
  RequestedStreams,
  RunInContainer,
  RunningPod,
} from './ports.js';
export { type RelayStreamOptions, relayStream } from './relay-stream.js';
export type { RouteSwitches } from './route-switches.js';
export type { NodeServerSettings } from './settings.js';
export { type SyncLoopCheckInput, syncLoopHealthCheck } from './sync-loop-check.js';
export { createTlsSource, type ServingCertificate, type TlsSourceOptions } from './tls/create-tls-source.js';
export type { TlsMaterial, TlsSource } from './tls/tls-source.js';
