/**
 * The decisions of an object store: which secrets and config maps a pod refers to, and how long a cached object is valid.
 *
 * @packageDocumentation
 */
export { ttlOfNode } from './cached-objects.js';
export { configMapsOfPod, secretsOfPod } from './references.js';
