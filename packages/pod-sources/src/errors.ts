import { invalidOption } from '@nodeagent/api';

/** The codes of this package's errors. */
export const podSourcesErrorCodes = {
  /** An option is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /**
   * A file, directory or URL of manifests cannot be read: permissions, size, I/O, a status other than 200. Details: `file`. Retryable; the
   * source retries.
   */
  unreadableManifest: 'UnreadableManifest',
  /**
   * The text or document is not a `v1` Pod: invalid YAML or JSON, another kind, a value of a wrong type. Details as {@link
   * ManifestErrorDetails}.
   */
  notAPod: 'NotAPod',
  /** The pod is invalid by the API's rules. Details as {@link ManifestErrorDetails}. */
  invalidManifest: 'InvalidManifest',
  /** A static pod refers to API objects (KEP-5607 PreventStaticPodAPIReferences). Details as {@link ManifestErrorDetails}. */
  staticPodReference: 'StaticPodReference',
  /** The API server's Node has no UID yet, so it cannot own a mirror pod. Retried at the pod's next sync. */
  nodeWithoutUid: 'NodeWithoutUID',
} as const;

/** Throws unless `value` is a non-empty string. */
export function requireText(field: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw invalidOption(field, 'a non-empty string', value);
}
