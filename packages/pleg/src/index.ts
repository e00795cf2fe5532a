/**
 * Pod lifecycle event generator: turns what a container runtime lists or tells into events, and keeps the cache of pod statuses that
 * pod workers wait on.
 *
 * @packageDocumentation
 */
export { type ContainerEventLike, type ContainerEventSource, eventPodUid, eventStage, isNews, type LifeStage } from './container-event.js';
export { type ContainerDrift, findDrift } from './drift.js';
export { plegErrorCodes } from './errors.js';
export { nextConnectDelay, shouldFallBack } from './event-connection.js';
export { createEventedPleg, type EventedPleg, type EventedPlegOptions } from './evented-pleg.js';
export { createGenericPleg, type GenericPlegOptions } from './generic-pleg.js';
export { type RelistHealth, relistUnhealthyReason } from './health.js';
export { keepIps } from './keep-ips.js';
export { countRunning, type RunningCounts } from './metrics.js';
export { createPodCache, emptyPodStatus } from './pod-cache.js';
export { computePodEvents, type PlegContainerState, type PodSnapshot, plegContainerState, transitionEvents } from './pod-events.js';
export { nextRelistDelay, type RelistRhythm } from './relist-rhythm.js';
export { runningContainerIds, runningPodUids } from './running-pods.js';
