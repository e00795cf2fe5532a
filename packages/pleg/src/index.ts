/**
 * Pod lifecycle event generator: turns the listings or events of a container runtime into pod lifecycle events, and maintains the cache of
 * pod statuses that pod workers wait on. Its pure functions are exported from `@nodeagent/pleg/decisions`.
 *
 * @packageDocumentation
 */
export type { ContainerEventLike, ContainerEventSource } from './container-event.js';
export { plegErrorCodes } from './errors.js';
export { createEventedPleg, type EventedPleg, type EventedPlegOptions } from './evented-pleg.js';
export { createGenericPleg, type GenericPlegOptions } from './generic-pleg.js';
export { createPodCache, emptyPodStatus } from './pod-cache.js';
export { plegSettings } from './settings.js';
