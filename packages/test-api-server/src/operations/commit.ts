import { equalJson } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../access/admission-request.js';
import { admissionOf } from '../admission/admission-of.js';
import { type ApiContext, operationForm, storageForm, type WriteOptions } from '../context.js';
import { setGoForm } from '../fields/go-form.js';
import { onUncheckedTypes } from '../kinds/kind-rules.js';
import { rulesOf } from '../kinds/rules.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { kindSubjectOf, subjectOf } from '../registry/resource.js';
import { conflict, invalid, modified } from '../status.js';
import { scaleOf } from '../subresources/scale.js';
import { withManager } from './manage-fields.js';
import { canBeRemoved, decodedMetadata, finalizerProblems, isUnchanged, labelProblems, specChanged, updatedMetadata } from './metadata.js';

/** Options of {@link commitUpdate}. */
export interface CommitOptions extends WriteOptions {
  subresource?: string;
  /** Whether the client writes the object's Scale, which is what admission gets. */
  isScale?: boolean;
  /** The object's managedFields are computed already (server-side apply). */
  tracked?: boolean;
  /** Whether to skip the rules of the kind, for writes of the server itself. */
  internal?: boolean;
}

/**
 * Replaces a stored object by a changed one, if the change is valid; `after` is a copy in the form of {@link operationForm}. An update that
 * changes nothing writes nothing. Removes a terminating object without finalizers or grace period.
 */
export function commitUpdate(
  context: ApiContext,
  definition: ServedResource,
  stored: ApiObject,
  after: ApiObject,
  options: CommitOptions,
): ApiObject {
  const before = operationForm(definition, stored);
  const subject = subjectOf(definition, before.metadata.name);
  const metadata = decodedMetadata(after.metadata);
  const { resourceVersion, uid } = metadata;
  if (resourceVersion && resourceVersion !== '0' && resourceVersion !== before.metadata.resourceVersion) throw modified(subject);
  if (uid && uid !== before.metadata.uid) {
    throw conflict(subject, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`);
  }
  const object: ApiObject = { ...after, metadata: updatedMetadata(metadata, before.metadata) };
  if (!options.internal) {
    const write = admissionOfUpdate(definition, before, object, options);
    context.admission.mutate(write, context);
    const rules = rulesOf(definition);
    const problems = onUncheckedTypes(definition, () => {
      rules.prepareUpdate?.(object, before, context);
      return [
        ...(rules.validatesMetadata && options.subresource === undefined ? [] : labelProblems(object.metadata)),
        ...finalizerProblems(object, before),
        ...(options.subresource === undefined && !rules.validatesUpdates ? (rules.validate?.(object, context) ?? []) : []),
        ...(rules.validateUpdate?.(object, before, options.subresource) ?? []),
      ];
    });
    if (problems.length > 0) throw invalid(kindSubjectOf(definition, before.metadata.name), problems);
    context.admission.validate(write, context);
  }
  setGoForm(object);
  if (isUnchanged(object, before) && !options.tracked) return stored;
  if (isGeneration(definition, { object, before, ...options })) object.metadata.generation = (before.metadata.generation ?? 0) + 1;
  const written = options.tracked ? object : withManager(context, definition, { before, after: object, ...options });
  if (options.dryRun) return written;
  const kept = storageForm(context, definition, written);
  const { username } = options.user;
  return canBeRemoved(written)
    ? context.store.remove(definition.storage, stored, kept, username)
    : context.store.put(definition.storage, kept, username);
}

/** Metadata that the generation of a kind counts too. */
const countedMetadata: Readonly<Record<string, 'annotations' | 'labels' | undefined>> = {
  'apps/deployments': 'annotations',
  'discovery.k8s.io/endpointslices': 'labels',
};

/** Whether the object counts the change: of its spec, except for the binding of a pod, and of some kinds' annotations or labels. */
function isGeneration(
  { countsGenerations, storage }: ServedResource,
  { object, before, subresource }: { object: ApiObject; before: ApiObject; subresource?: string },
): boolean {
  if (!countsGenerations || subresource === 'binding') return false;
  if (specChanged(object, before)) return true;
  const counted = subresource === undefined ? countedMetadata[storage] : undefined;
  return counted !== undefined && !equalJson(object.metadata[counted] ?? {}, before.metadata[counted] ?? {});
}

function admissionOfUpdate(definition: ServedResource, before: ApiObject, object: ApiObject, options: CommitOptions): AdmissionRequest {
  const { namespace, name = '' } = before.metadata;
  const subresource = options.isScale ? 'scale' : options.subresource;
  const place = { name, ...(namespace && { namespace }), ...(subresource && { subresource }) };
  const objects = options.isScale ? { object: scaleOf(definition, object), before: scaleOf(definition, before) } : { object, before };
  return admissionOf(definition, 'update', place, options, objects);
}
