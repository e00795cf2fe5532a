import { isObject } from '@nodeagent/api/helpers';
import { type ApiContext, kept, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import { checkFields } from '../fields/field-validation.js';
import type { ApiObject } from '../objects.js';
import { findSubresource, kindSubjectOf, type ServedResource, subjectOf } from '../registry/resource.js';
import { badRequest, invalid, notFound } from '../status.js';
import { type CommitOptions, commitUpdate } from './commit.js';
import { checkKind } from './create.js';

/** Options of an update. */
export interface UpdateOperationOptions extends WriteOptions {
  namespace?: string;
  name: string;
  subresource?: string;
}

/** The stored object of a request; throws 404. */
export function requireObject(
  { store }: ApiContext,
  definition: ServedResource,
  { namespace, name }: { namespace?: string; name: string },
): ApiObject {
  const object = store.get(definition.storage, namespace, name);
  if (object === undefined) throw notFound(subjectOf(definition, name));
  return object;
}

/** Replaces an object or a subresource as a PUT does. Returns the stored form. */
export function updateObject(context: ApiContext, definition: ServedResource, body: ApiObject, options: UpdateOperationOptions): ApiObject {
  checkKind(definition, body);
  const { name, namespace } = body.metadata ?? {};
  if (!name && !definition.custom)
    throw badRequest(`the name of the object (${options.name} based on URL) was undeterminable: name must be provided`);
  if (name && name !== options.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${options.name})`);
  }
  if (namespace && options.namespace && namespace !== options.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const before = requireObject(context, definition, options);
  if (definition.custom && !body.metadata?.resourceVersion) {
    throw invalid(kindSubjectOf(definition, options.name), [
      { field: 'metadata.resourceVersion', problem: 'Invalid value: 0: must be specified for an update' },
    ]);
  }
  const after = { ...copyJson(body), metadata: copyJson(body.metadata ?? {}) };
  if (options.fieldValidation) checkFields(definition, after, options.fieldValidation);
  return replaceObject(context, definition, before, after, options);
}

/** Replaces the part of a stored object that the path can change by that of `body`, a copy in the resource's version. */
export function replaceObject(
  context: ApiContext,
  definition: ServedResource,
  before: ApiObject,
  body: ApiObject,
  options: CommitOptions,
): ApiObject {
  const after = kept(context, definition, body);
  return commitUpdate(context, definition, before, changedPart(definition, before, after, options.subresource), options);
}

/** Metadata that an update of the status cannot change, by storage; that of custom resources is kept whole. */
const keptByStatus: Readonly<Record<string, 'labels' | 'ownerReferences'>> = { '/pods': 'ownerReferences', 'apps/deployments': 'labels' };

/** The effective fields of an update: a subresource changes its part, the object's path everything but the status. */
function changedPart(definition: ServedResource, before: ApiObject, after: ApiObject, subresource: string | undefined): ApiObject {
  const copy = copyJson(before);
  const { resourceVersion, uid } = after.metadata;
  const sameMetadata = { ...copy.metadata, ...(uid && { uid }), resourceVersion };
  switch (subresource) {
    case undefined: {
      if (!findSubresource(definition, 'status')) return after;
      const { status: _status, ...rest } = after;
      return { ...rest, ...(copy.status !== undefined && { status: copy.status }) } as ApiObject;
    }
    case 'status': {
      const keepsMetadata = definition.custom !== undefined;
      const metadata = keepsMetadata ? sameMetadata : { ...after.metadata };
      const field = keptByStatus[definition.storage];
      if (field !== undefined) {
        delete metadata[field];
        Object.assign(metadata, copy.metadata[field] && { [field]: copy.metadata[field] });
      }
      return { ...copy, metadata, ...(after.status !== undefined && { status: after.status }) };
    }
    case 'finalize':
      return { ...copy, metadata: sameMetadata, spec: { ...(copy.spec as object), finalizers: partOf(after.spec, 'finalizers') ?? [] } };
    case 'approval': {
      const conditions = partOf(after.status, 'conditions');
      return { ...copy, metadata: after.metadata, status: { ...(copy.status as object), ...(conditions !== undefined && { conditions }) } };
    }
    case 'ephemeralcontainers': {
      const ephemeralContainers = partOf(after.spec, 'ephemeralContainers');
      return {
        ...copy,
        metadata: sameMetadata,
        spec: { ...(copy.spec as object), ...(ephemeralContainers !== undefined && { ephemeralContainers }) },
      };
    }
    default:
      return { ...copy, metadata: sameMetadata, ...(after.spec !== undefined && { spec: after.spec }) };
  }
}

function partOf(value: unknown, field: string): unknown {
  return isObject(value) ? value[field] : undefined;
}
