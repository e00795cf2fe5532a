import { isObject, mergePatch } from '@nodeagent/api/helpers';
import type { FieldSchema, JsonObject } from './field-schema.js';
import { jsonPatch } from './json-patch.js';
import { badRequest, unprocessable, unsupportedMediaType } from './refusals.js';
import { strategicMergePatch } from './strategic-merge-patch.js';

export const jsonPatchType = 'application/json-patch+json';
export const mergePatchType = 'application/merge-patch+json';
export const strategicMergePatchType = 'application/strategic-merge-patch+json';
export const applyPatchType = 'application/apply-patch+yaml';

export interface PatchRequest {
  /** The object to patch; it is not changed. */
  object: JsonObject;
  /** The patch as parsed JSON. */
  patch: unknown;
  /** The media type of the patch; parameters such as `charset` are ignored. */
  contentType: string;
  /** The schema of a built-in kind; absent for custom resources, which do not support strategic merge. */
  schema?: FieldSchema;
}

/**
 * Applies a JSON Patch (RFC 6902), JSON Merge Patch (RFC 7396) or strategic merge patch; for server-side
 * apply see {@link serverSideApply}. Throws the API server's errors: `BadRequest` for a malformed patch, `Invalid` for one that does
 * not fit the object, `UnsupportedMediaType`. Kubernetes documentation, "API Concepts: Patches".
 */
export function applyPatch({ object, patch, contentType, schema }: PatchRequest): JsonObject {
  switch (contentType.split(';')[0]?.trim()) {
    case jsonPatchType:
      return objectOr(jsonPatch(object, patch), unprocessable);
    case mergePatchType:
      return objectOr(mergePatch(object, patch), () => badRequest('Invalid JSON Patch'));
    case strategicMergePatchType:
      if (!schema) break;
      return strategicMergePatch(
        object,
        objectOr(patch, () => badRequest('invalid JSON document')),
        schema,
      );
  }
  throw unsupportedMediaType([jsonPatchType, mergePatchType, ...(schema ? [strategicMergePatchType] : []), applyPatchType]);
}

function objectOr(value: unknown, refusal: () => Error): JsonObject {
  if (!isObject(value)) throw refusal();
  return value;
}
