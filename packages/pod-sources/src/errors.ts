import { invalidOption } from '@nodeagent/api';

/** The codes of the errors that this package makes. */
export const podSourcesErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** A file, folder or URL of manifests cannot be read: rights, size, I/O, an answer that is not 200. Details: `file`. Retryable: it is tried again. */
  unreadableManifest: 'UnreadableManifest',
  /** The text or document is no `v1` Pod: bad YAML or JSON, another kind, a value of a wrong type. Details as {@link ManifestErrorDetails}. */
  notAPod: 'NotAPod',
  /** A pod that the API would not accept. Details as {@link ManifestErrorDetails}. */
  invalidManifest: 'InvalidManifest',
  /** A static pod that refers to API objects (KEP-5607 PreventStaticPodAPIReferences). Details as {@link ManifestErrorDetails}. */
  staticPodReference: 'StaticPodReference',
  /** The API server's node has no UID yet, so that nothing can belong to it. Retried at the pod's next sync. */
  nodeWithoutUid: 'NodeWithoutUID',
} as const;

/** Throws unless `value` is a text with something in it. */
export function requireText(field: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw invalidOption(field, 'a text that is not empty', value);
}
