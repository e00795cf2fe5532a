/**
 * The decisions of a pod lifecycle event generator: which events two listings make, what a container event says, when the next relist runs.
 *
 * @packageDocumentation
 */
export { eventPodUid, eventStage, isNews, type LifeStage } from './container-event.js';
export { type ContainerDrift, findDrift } from './drift.js';
export { nextConnectDelay, shouldFallBack } from './event-connection.js';
export { type RelistHealth, relistUnhealthyReason } from './health.js';
export { keepIps } from './keep-ips.js';
export { countRunning, type RunningCounts } from './metrics.js';
export { computePodEvents, type PlegContainerState, type PodSnapshot, plegContainerState, transitionEvents } from './pod-events.js';
export { nextRelistDelay, type RelistRhythm } from './relist-rhythm.js';
