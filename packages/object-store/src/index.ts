/**
 * Reads the secrets, config maps and services that the pods of a node refer to, as a kubelet does.
 * The pure functions are in `@nodeagent/object-store/decisions`.
 *
 * @packageDocumentation
 */
export { type CachedObjectsOptions, createCachedObjects } from './cached-objects.js';
export { environmentPorts } from './environment-ports.js';
export { objectStoreErrorCodes } from './errors.js';
export { createFetchedObjects } from './fetched-objects.js';
export type { ReferencedKind, ReferencedKinds } from './kinds.js';
export type { PodObjects } from './pod-objects.js';
export { createServices, type Services } from './services.js';
export { createWatchedObjects, type WatchedObjects, type WatchedObjectsOptions } from './watched-objects.js';
