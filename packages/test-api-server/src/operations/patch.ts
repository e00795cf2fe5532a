import { isObject } from '@nodeagent/api/helpers';
import { type ApiContext, shown, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import { checkFields, checkRepeatedKeys, patchRefused, unknownFields, wrongTypeIn } from '../fields/field-validation.js';
import { wrongTypeInApply } from '../fields/wrong-types.js';
import { rulesOf } from '../kinds/rules.js';
import type { ApiObject } from '../objects.js';
import { applyPatch, applyPatchType, strategicMergePatchType } from '../patch/apply-patch.js';
import { notDeclared, wronglyTyped } from '../patch/check-applied.js';
import { serverSideApply } from '../patch/server-side-apply.js';
import { apiVersionOf, type ServedResource } from '../registry/resource.js';
import { badRequest } from '../status.js';
import { createObject } from './create.js';
import { ignoredFields, schemaOf } from './manage-fields.js';
import { replaceObject, requireObject } from './update.js';

/** A patch request. */
export interface PatchInput {
  contentType: string;
  patch: unknown;
  namespace?: string;
  name: string;
  subresource?: string;
  /** Whether to take ownership of fields of other managers; only for server-side apply. */
  force?: boolean;
}

/** Changes an object as a PATCH does; an apply can also create it. Returns the stored form. */
export function patchObject(context: ApiContext, definition: ServedResource, input: PatchInput, options: WriteOptions): ApiObject {
  if (input.contentType === applyPatchType) return applyObject(context, definition, input, options);
  const before = requireObject(context, definition, input);
  const object = shown(definition, before);
  const schema = definition.custom ? undefined : (schemaOf(definition) ?? {});
  const patched = applyPatch({ object, patch: input.patch, contentType: input.contentType, schema });
  const after = copyJson(patched) as ApiObject;
  if (options.fieldValidation) {
    const isStrategic = input.contentType.startsWith(strategicMergePatchType);
    checkFields(definition, after, options.fieldValidation, (problem) =>
      patchRefused(isStrategic ? goText(input.patch) : JSON.stringify(patched), problem),
    );
  }
  checkName(after, input);
  const { namespace } = (after.metadata ?? {}) as { namespace?: string };
  if (namespace && input.namespace && namespace !== input.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return replaceObject(context, definition, before, after, { ...options, ...(input.subresource && { subresource: input.subresource }) });
}

function applyObject(context: ApiContext, definition: ServedResource, input: PatchInput, options: WriteOptions): ApiObject {
  const { patch, namespace, name, subresource, force = false } = input;
  if (!isObject(patch) || !isObject(patch.metadata)) throw badRequest('the body of an apply must be an object with metadata');
  const applied = copyJson(patch) as unknown as ApiObject;
  checkAppliedKind(definition, applied);
  checkName(applied, input);
  const undeclared = unknownFields(definition, copyJson(patch) as unknown as ApiObject);
  const schema = schemaOf(definition);
  if (undeclared.length > 0) throw notDeclared(applied, undeclared, schema);
  const wrong = wrongTypeIn(definition, applied);
  if (wrong) throw wronglyTyped(applied, wrong.path, wrongTypeInApply(wrong));
  const stored = subresource ? requireObject(context, definition, input) : context.store.get(definition.storage, namespace, name);
  const live = stored && shown(definition, stored);
  const result = serverSideApply({
    applied,
    manager: options.fieldManager,
    force,
    apiVersion: apiVersionOf(definition),
    ignored: ignoredFields(definition, subresource, applied),
    now: context.clock.now(),
    live,
    schema,
    ...(subresource && { subresource }),
  });
  if (options.fieldValidation) checkRepeatedKeys(options.fieldValidation);
  if (stored === undefined) {
    // An apply does not own a status that is a subresource, but a few kinds may be created with one.
    const created = (rulesOf(definition).keepsStatusOnCreate ? { ...result, status: applied.status } : result) as ApiObject;
    return createObject(context, definition, created, { ...options, tracked: true, ...(namespace && { namespace }) });
  }
  if (result === live) return stored;
  const after = copyJson(result) as ApiObject;
  return replaceObject(context, definition, stored, after, { ...options, tracked: true, ...(subresource && { subresource }) });
}

/** Throws 400 unless an apply names its kind, which is that of the path. */
function checkAppliedKind(definition: ServedResource, { apiVersion = '', kind = '' }: Partial<ApiObject>): void {
  if (apiVersion === apiVersionOf(definition) && kind === definition.kind) return;
  const version = typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw badRequest(`invalid object type: ${version}, Kind=${kind}`);
}

function checkName({ metadata }: ApiObject, { name }: PatchInput): void {
  if (metadata?.name === name) return;
  if (!metadata?.name) throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  throw badRequest(`the name of the object (${metadata?.name ?? ''}) does not match the name on the URL (${name})`);
}

/** A value as Go prints it, which is what the error of a strategic merge patch shows: `map[spec:map[a:1]]`. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (value === null) return '<nil>';
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`;
}
