import { admissionOf } from '../admission/admission-of.js';
import { type ApiContext, kept, nameSuffix, newUid, storageForm, timestamp, type WriteOptions } from '../context.js';
import { copyJson } from '../copy-json.js';
import { typeOfKind } from '../fields/built-in-types.js';
import { checkFields } from '../fields/field-validation.js';
import { setGoForm } from '../fields/go-form.js';
import { onUncheckedTypes } from '../kinds/kind-rules.js';
import { rulesOf } from '../kinds/rules.js';
import { type ApiObject, groupVersion } from '../objects.js';
import { findSubresource, kindSubjectOf, type ServedResource, subjectOf } from '../registry/resource.js';
import { alreadyExists, badRequest, invalid, terminatingDefinition, versionOnCreate } from '../status.js';
import { withManager } from './manage-fields.js';
import { decodedMetadata, metadataProblems } from './metadata.js';

/** Metadata that a client cannot set at creation. */
const serverFields = ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation', 'selfLink'];

/** Maximum length of the prefix of a generated name. */
const longestGenerated = 58;

/** Options of {@link createObject}. */
export interface CreateOptions extends WriteOptions {
  /** Namespace of the path; absent for cluster-scoped objects. */
  namespace?: string;
  /** The object's managedFields are computed already (server-side apply). */
  tracked?: boolean;
  /** Whether the operation may change the body. Default: it copies it. */
  ownsBody?: boolean;
}

/** Creates an object as a POST does; `body` is in the resource's version. Returns the stored form. */
export function createObject(context: ApiContext, definition: ServedResource, body: ApiObject, options: CreateOptions): ApiObject {
  if (definition.custom?.isTerminating) throw terminatingDefinition();
  const copy = options.ownsBody ? body : copyJson(body);
  if (options.fieldValidation && !options.tracked) checkFields(definition, copy, options.fieldValidation);
  const object = kept(context, definition, checkedBody(definition, copy, options.namespace));
  const rules = rulesOf(definition);
  setServerFields(context, definition, object);
  if (findSubresource(definition, 'status') && !rules.keepsStatusOnCreate) delete object.status;
  const place = { name: object.metadata.name ?? '', ...(options.namespace && { namespace: options.namespace }) };
  const setDefaults = () => (rules.applyDefaults ? rules.applyDefaults(object) : rules.prepareCreate?.(object, context, options));
  const write = { ...admissionOf(definition, 'create', place, options, { object }), setDefaults };
  onUncheckedTypes(definition, () => rules.applyDefaults?.(object));
  context.admission.mutate(write, context);
  const { metadata } = object;
  const problems = onUncheckedTypes(definition, () => {
    rules.prepareCreate?.(object, context, options);
    return [
      ...(rules.validatesMetadata && metadata.name ? [] : metadataProblems(object, rules)),
      ...(metadata.name ? (rules.validate?.(object, context) ?? []) : []),
    ];
  });
  if (problems.length > 0) throw invalid(kindSubjectOf(definition, metadata.name), problems);
  context.admission.validate(write, context);
  const { resourceVersion = '0' } = body.metadata;
  if (resourceVersion !== '0' && resourceVersion !== '' && !options.dryRun) throw versionOnCreate();
  if (context.store.get(definition.storage, metadata.namespace, metadata.name ?? ''))
    throw alreadyExists(subjectOf(definition, metadata.name));
  const written = options.tracked ? object : withManager(context, definition, { after: object, ...options });
  setGoForm(written);
  return options.dryRun ? written : context.store.put(definition.storage, storageForm(context, definition, written), options.user.username);
}

function setServerFields(context: ApiContext, { countsGenerations }: ServedResource, { metadata }: ApiObject): void {
  if (!metadata.name && metadata.generateName) metadata.name = metadata.generateName.slice(0, longestGenerated) + nameSuffix(context);
  metadata.uid = newUid(context);
  metadata.creationTimestamp = timestamp(context);
  if (countsGenerations) metadata.generation = 1;
}

/** Sets the namespace of the path in the body of a write, and removes the fields of the server. Changes the body. */
function checkedBody(definition: ServedResource, body: ApiObject, namespace: string | undefined): ApiObject {
  checkKind(definition, body);
  const metadata = decodedMetadata(body.metadata);
  if (definition.namespaced && metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  for (const field of serverFields) delete (metadata as Record<string, unknown>)[field];
  const { namespace: _own, resourceVersion: _version, ...rest } = metadata;
  body.metadata = namespace ? { ...rest, namespace } : rest;
  return body;
}

/** Throws 400 if kind or version of the body differ from the path. */
export function checkKind({ group, version, kind, custom }: ServedResource, body: ApiObject): void {
  const apiVersion = groupVersion(group, version);
  for (const each of [body.apiVersion, body.kind] as unknown[]) {
    if (typeof (each ?? '') !== 'string') throw badRequest(`invalid object type: ${JSON.stringify(each)} is no text`);
  }
  if (custom === undefined) checkBuiltInKind(body, apiVersion, kind);
  if (body.apiVersion && body.apiVersion !== apiVersion) {
    throw badRequest(`the API version in the data (${body.apiVersion}) does not match the expected API version (${apiVersion})`);
  }
  if (body.kind && body.kind !== kind) {
    throw badRequest(
      `${body.kind} in version "${version}" cannot be handled as a ${kind}: the kind in the data does not match the expected kind`,
    );
  }
}

/** Throws 400 if the body is of another kind than the path, in the words of Go's scheme of built-in kinds. */
function checkBuiltInKind(body: ApiObject, expectedVersion: string, expectedKind: string): void {
  const { apiVersion = expectedVersion, kind = expectedKind } = body;
  if ((apiVersion || expectedVersion) === expectedVersion && (kind || expectedKind) === expectedKind) return;
  const short = (version: string) => version.slice(version.indexOf('/') + 1);
  const packageOf = (version: string) => (version.includes('/') ? (version.split(/[./]/)[0] ?? '') : 'core');
  const problem = typeOfKind(apiVersion, kind)
    ? `converting (${short(apiVersion)}.${kind}) to (${packageOf(expectedVersion)}.${expectedKind}): unknown conversion`
    : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  throw badRequest(`${kind} in version "${short(apiVersion)}" cannot be handled as a ${expectedKind}: ${problem}`);
}
