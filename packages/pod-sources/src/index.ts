/**
 * Where a node's pods come from: manifests decoded as a kubelet decodes static pods, sources that follow a folder of them, a URL or the
 * API server, the merge of all sources into one stream of changes, and the pod manager that knows every pod and its mirror.
 *
 * @example
 * ```ts
 * const [document] = await decodeManifest(text, { source: 'file', file: 'web.yaml', nodeName: 'n1' });
 * console.log(document?.error?.message ?? document?.pod?.metadata?.name);
 * ```
 *
 * @packageDocumentation
 */
export { type ApiServerSource, type ApiServerSourceOptions, createApiServerSource } from './api/api-server-source.js';
export { podSourcesErrorCodes } from './errors.js';
export type { FieldProblem } from './field-problem.js';
export { createFileSource, type FileSourceOptions } from './file/file-source.js';
export {
  type DuplicatePod,
  emptyFileSourceState,
  type FileSourceResult,
  type FileSourceRules,
  type FileSourceState,
  type FileSourceStep,
  type ManifestFile,
  nextFileSourceState,
} from './file/file-source-state.js';
export type { ManifestFileSystem, ManifestStat } from './file/manifest-files.js';
export type { Watch, WatchHandle } from './file/watch.js';
export type { HttpAnswer, HttpGet, HttpGetOptions } from './http/http-get.js';
export { createHttpSource, type HttpSourceOptions } from './http/http-source.js';
export { type AllPods, createPodManager, type PodAndMirrorPod, type PodManager } from './manager/pod-manager.js';
export { completePod, type PodOrigin } from './manifest/complete-pod.js';
export { type DecodedDocument, decodeManifest, type ManifestDocument, type RefusedDocument } from './manifest/decode-manifest.js';
export { applyApiDefaults } from './manifest/defaults.js';
export { stableDigest } from './manifest/digest.js';
export type { ManifestErrorDetails } from './manifest/manifest-error.js';
export { defaultPullPolicy } from './manifest/pull-policy.js';
export { findApiReference } from './manifest/references.js';
export type { ManifestOrigin } from './manifest/static-pod.js';
export { type MergeResult, mergeSource, type PodConfigState, type PodConfigWarning } from './merge/merge-source.js';
export { createPodConfig, type PodConfig, type PodConfigOptions } from './merge/pod-config.js';
export { buildMirrorPod, type MirrorPodActions, mirrorPodActions } from './mirror/mirror-pod.js';
export { createMirrorPods, type MirrorPods, type MirrorPodsOptions } from './mirror/mirror-pods.js';
export { validatePod } from './validation/pod.js';
