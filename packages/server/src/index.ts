/**
 * What a kubelet's HTTP server decides about requests, as pure functions: what the API server is asked about them, how they are counted,
 * the answers of `/healthz`, and which logs are asked for.
 *
 * @packageDocumentation
 */
export { forbiddenText, type RequestAttributes, requestAttributes } from './auth-attributes.js';
export {
  type ContainerLogsGates,
  type ContainerLogsRefusal,
  type ContainerLogsRequest,
  type PodLogOptions,
  parseContainerLogsRequest,
  type WantedContainerLogs,
} from './container-logs-request.js';
export { type HealthAnswer, type HealthCheckResult, healthzAnswer } from './healthz.js';
export { type RelayExecOptions, relayExec, relayPortForward } from './relay-streams.js';
export { type RelayUpgradeOptions, relayUpgrade } from './relay-upgrade.js';
export { type RequestLabels, requestLabels } from './request-labels.js';
