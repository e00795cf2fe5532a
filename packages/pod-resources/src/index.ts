/**
 * The kubelet's pod-resources API.
 *
 * @packageDocumentation
 */
export { podResourcesErrorCodes } from './errors.js';
export { createPodResourcesServer, type PodResourcesServerOptions } from './pod-resources-server.js';
export type { CpusProvider, DevicesProvider, DynamicResource, MemoryProvider, PodResourcesProviders } from './providers.js';
