/**
 * Pure functions of the pod sources: the pods of a directory or URL, merging sources, defaults and validation of manifests, and mirror
 * pods.
 *
 * @packageDocumentation
 */
export type { FieldProblem } from './field-problem.js';
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
export { createManifestReader, type ManifestReader, readChange, scanPath } from './file/manifest-reader.js';
export { completePod, type PodOrigin } from './manifest/complete-pod.js';
export { applyApiDefaults, applyTemplateDefaults, roundAmounts } from './manifest/defaults.js';
export { stableDigest } from './manifest/digest.js';
export { defaultPullPolicy } from './manifest/pull-policy.js';
export { type ApiReference, findApiReference } from './manifest/references.js';
export { type MergeResult, mergeSource, type PodConfigState, type PodConfigWarning } from './merge/merge-source.js';
export { buildMirrorPod, type MirrorPodActions, mirrorPodActions } from './mirror/mirror-pod.js';
export { validatePod } from './validation/pod.js';
export { referenceFields } from './volumes/reference-fields.js';
