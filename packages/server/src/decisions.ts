/**
 * The decisions of the kubelet's HTTP server: which endpoint a path is, what it takes to be authorized for it, and how logs and health are
 * requested and answered.
 *
 * @packageDocumentation
 */
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
export { type HealthAnswer, healthzAnswer } from './healthz.js';
export { type RequestLabels, requestLabels } from './request-labels.js';
export { type MetricsPage, type PathTarget, type Route, type RouteRefusal, route } from './route.js';
