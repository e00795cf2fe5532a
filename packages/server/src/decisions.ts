/**
 * Parts of the kubelet's HTTP server without its listeners: routing, authorization attributes, log requests and health responses.
 *
 * @packageDocumentation
 */
export { forbiddenText, type RequestAttributes, requestAttributes, requiredAttributes } from './auth-attributes.js';
export { chooseLogContainer, type LogContainer, type LogContainerInput } from './choose-log-container.js';
export {
  type ContainerLogsGates,
  type ContainerLogsRefusal,
  type ContainerLogsRequest,
  type PodLogOptions,
  parseContainerLogsRequest,
  type WantedContainerLogs,
} from './container-logs-request.js';
export type { PathTarget } from './endpoint-path.js';
export { containerLogsHandler } from './endpoints/container-logs.js';
export type { MetricsPage } from './endpoints/metrics.js';
export type { Route } from './endpoints.js';
export { type HealthAnswer, healthzAnswer } from './healthz.js';
export type { Exchange, Handler, Upgrade } from './http/exchange.js';
export type { RouteRefusal } from './refusal.js';
export { type RequestLabels, requestLabels } from './request-labels.js';
export { route } from './route.js';
export type { SwitchRequirement } from './route-switches.js';
