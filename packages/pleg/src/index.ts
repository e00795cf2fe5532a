/**
 * Pod lifecycle event generator: turns what a container runtime lists or tells into events, and keeps the cache of pod statuses that
 * pod workers wait on.
 * The pure functions and parts that it is made of are in `@nodeagent/pleg/decisions`.
 *
 * @packageDocumentation
 */
export type { ContainerEventLike, ContainerEventSource } from './container-event.js';
export { plegErrorCodes } from './errors.js';
export { createEventedPleg, type EventedPleg, type EventedPlegOptions } from './evented-pleg.js';
export { createGenericPleg, type GenericPlegOptions } from './generic-pleg.js';
export { createPodCache, emptyPodStatus } from './pod-cache.js';
