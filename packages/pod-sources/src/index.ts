/**
 * The pod sources of a node: decodes manifests like the kubelet, reads a URL or the API server, merges all sources into one stream of
 * changes, and manages pods and their mirror pods. `@nodeagent/pod-sources/node` watches files.
 *
 * @example
 * ```ts
 * const [document] = await decodeManifest(text, { source: 'file', file: 'web.yaml', nodeName: 'n1' });
 * console.log(document?.error?.message ?? document?.pod?.metadata?.name);
 * ```
 * The pure functions and parts that it is made of are in `@nodeagent/pod-sources/decisions`.
 *
 * @packageDocumentation
 */
export { type ApiServerSource, type ApiServerSourceOptions, createApiServerSource } from './api/api-server-source.js';
export { podSourcesErrorCodes } from './errors.js';
export type { HttpAnswer, HttpGet, HttpGetOptions } from './http/http-get.js';
export { createHttpSource, type HttpSourceOptions } from './http/http-source.js';
export { type AllPods, createPodManager, type PodAndMirrorPod, type PodManager } from './manager/pod-manager.js';
export {
  type DecodedDocument,
  type DecodeManifestOptions,
  decodeManifest,
  type ManifestDocument,
  type ObjectDocument,
  type RefusedDocument,
} from './manifest/decode-manifest.js';
export type { LocalObject } from './manifest/local-object.js';
export type { ManifestErrorDetails } from './manifest/manifest-error.js';
export type { ManifestOrigin } from './manifest/static-pod.js';
export { createPodConfig, type PodConfig, type PodConfigOptions } from './merge/pod-config.js';
export { createMirrorPods, type MirrorPods, type MirrorPodsOptions } from './mirror/mirror-pods.js';
export { manifestSourceSettings } from './settings.js';
