import { type ApiContext, shown, type WriteOptions } from '../context.js';
import type { ApiObject } from '../objects.js';
import { applyPatch } from '../patch/apply-patch.js';
import { builtInSchema } from '../patch/built-in-schemas.js';
import { customSchema } from '../patch/custom-schema.js';
import type { FieldSchema } from '../patch/field-schema.js';
import { apiVersionOf, type ResourceDefinition } from '../registry/resource.js';
import { badRequest } from '../status.js';
import { replaceObject, requireObject } from './update.js';

/** A patch as it came in. */
export interface PatchInput {
  contentType: string;
  patch: unknown;
  namespace?: string;
  name: string;
  subresource?: string;
  /** Takes over fields that others manage; only for server-side apply. */
  force?: boolean;
}

/** What patches must know of the resource's lists. */
export function schemaOf(definition: ResourceDefinition): FieldSchema | undefined {
  return definition.custom ? customSchema(definition.custom.schema) : builtInSchema(apiVersionOf(definition), definition.kind);
}

/** Changes an object as a PATCH does. Returns the kept form. */
export function patchObject(context: ApiContext, definition: ResourceDefinition, input: PatchInput, options: WriteOptions): ApiObject {
  const before = requireObject(context, definition, input);
  const object = shown(definition, before);
  const schema = definition.custom ? undefined : (schemaOf(definition) ?? {});
  const patched = applyPatch({ object, patch: input.patch, contentType: input.contentType, ...(schema && { schema }) });
  const after = structuredClone(patched) as ApiObject;
  if (after.metadata?.name !== before.metadata.name) {
    throw badRequest(`the name of the object (${after.metadata?.name}) does not match the name on the URL (${input.name})`);
  }
  return replaceObject(context, definition, before, after, { ...options, ...(input.subresource && { subresource: input.subresource }) });
}
