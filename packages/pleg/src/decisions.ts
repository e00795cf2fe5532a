/**
 * Pure functions of the pod lifecycle event generator: the events between two listings, the meaning of a container event, the time of the
 * next relist.
 *
 * @packageDocumentation
 */
export { type ContainerStage, eventPodUid, eventStage, isNewStage } from './container-event.js';
export { type ContainerDrift, findDrift } from './drift.js';
export { nextConnectDelay, shouldFallBack } from './event-connection.js';
export { type RelistHealth, relistUnhealthyReason } from './health.js';
export { keepIps } from './keep-ips.js';
export { countRunning, type RunningCounts } from './metrics.js';
export {
  computePodEvents,
  diffPods,
  type PlegContainerState,
  type PodSnapshot,
  plegContainerState,
  transitionEvents,
} from './pod-events.js';
export { nextRelistDelay, type RelistDelayInput } from './relist-delay.js';
export { runningContainerIds, runningPodUids } from './running-pods.js';
