import { dnsSubdomainProblems, equalJson, isObject, labelValueProblems, qualifiedNameProblems, utf8Length } from '@nodeagent/api/helpers';
import { type KindFieldProblem, type KindRules, tooLong } from '../kinds/kind-rules.js';
import type { ApiMeta, ApiObject } from '../objects.js';
import { badRequest } from '../status.js';

const isText = (value: unknown) => typeof value === 'string';
const isTextMap = (value: unknown) => isObject(value) && Object.values(value).every(isText);
const isListOf = (check: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(check);

/** The types of metadata that clients may set. */
const metadataTypes: Readonly<Record<string, [check: (value: unknown) => boolean, type: string]>> = {
  name: [isText, 'string'],
  generateName: [isText, 'string'],
  namespace: [isText, 'string'],
  uid: [isText, 'string'],
  resourceVersion: [isText, 'string'],
  labels: [isTextMap, 'map[string]string'],
  annotations: [isTextMap, 'map[string]string'],
  finalizers: [isListOf(isText), '[]string'],
  ownerReferences: [isListOf(isObject), '[]v1.OwnerReference'],
  managedFields: [isListOf(isObject), '[]v1.ManagedFieldsEntry'],
};

/** A client's metadata without null fields. Throws 400 for fields of a wrong type. */
export function decodedMetadata(metadata: unknown): ApiMeta {
  if (metadata === undefined || metadata === null) return {};
  if (!isObject(metadata)) throw badRequest('json: cannot unmarshal metadata into Go value of type v1.ObjectMeta');
  const entries = Object.entries(metadata).filter(([, value]) => value !== null);
  for (const [field, value] of entries) {
    const [check, type] = metadataTypes[field] ?? [];
    if (check?.(value) === false) throw badRequest(`json: cannot unmarshal field ObjectMeta.metadata.${field} of type ${type}`);
  }
  return Object.fromEntries(entries) as ApiMeta;
}

const wrong = (field: string, value: string, problems: string[]): KindFieldProblem[] =>
  problems.map((rule) => ({ field, problem: `Invalid value: ${JSON.stringify(value)}: ${rule}` }));

/** Maximum size of all annotations in bytes, keys included. */
const maxAnnotationBytes = 256 * 1024;

/** Validates labels and annotations: Kubernetes documentation, "Labels and Selectors", "Annotations". */
export function labelProblems({ labels = {}, annotations = {} }: ApiMeta): KindFieldProblem[] {
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + utf8Length(key) + utf8Length(value), 0);
  return [
    ...Object.entries(labels).flatMap(([key, value]) => [
      ...wrong('metadata.labels', key, qualifiedNameProblems(key)),
      ...wrong('metadata.labels', value, labelValueProblems(value)),
    ]),
    ...Object.keys(annotations).flatMap((key) => wrong('metadata.annotations', key, qualifiedNameProblems(key.toLowerCase()))),
    ...(bytes > maxAnnotationBytes ? [tooLong('metadata.annotations', maxAnnotationBytes)] : []),
  ];
}

/** Validates a new object's metadata: Kubernetes documentation, "Object Names and IDs", "Labels and Selectors". */
export function metadataProblems({ metadata }: ApiObject, { nameProblems = dnsSubdomainProblems }: KindRules): KindFieldProblem[] {
  const name = metadata.name ?? '';
  return [
    ...(name === '' ? [{ field: 'metadata.name', problem: 'Required value: name or generateName is required' }] : []),
    ...(name === '' ? [] : wrong('metadata.name', name, nameProblems(name))),
    ...labelProblems(metadata),
    ...(metadata.ownerReferences ?? []).flatMap(({ apiVersion, kind, name: owner, uid }, index) =>
      Object.entries({ apiVersion, kind, name: owner, uid })
        .filter(([, value]) => !value)
        .map(([field]) => ({ field: `metadata.ownerReferences[${index}].${field}`, problem: 'Required value' })),
    ),
  ];
}

/** Metadata of an update: fields that a client cannot change keep their values. */
export function updatedMetadata(after: ApiMeta, before: ApiMeta): ApiMeta {
  const { name, namespace, generateName, uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = before;
  const fixed = { name, namespace, generateName, uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds };
  const rest: Record<string, unknown> = { ...after, resourceVersion: before.resourceVersion };
  for (const [field, value] of Object.entries(fixed)) {
    if (value === undefined) delete rest[field];
    else rest[field] = value;
  }
  return rest as ApiMeta;
}

/** Validates an update of the finalizers. */
export function finalizerProblems({ metadata }: ApiObject, before: ApiObject): KindFieldProblem[] {
  if (!before.metadata.deletionTimestamp) return [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => !before.metadata.finalizers?.includes(finalizer));
  if (added.length === 0) return [];
  const names = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const rule = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
  return [{ field: 'metadata.finalizers', problem: `Forbidden: ${rule}` }];
}

/** Whether a field other than metadata and status differs. */
export function specChanged(after: ApiObject, before: ApiObject): boolean {
  const desired = ({ metadata: _metadata, status: _status, ...rest }: ApiObject) => rest;
  return !equalJson(desired(after), desired(before));
}

/** Whether a write changes nothing, except managed fields and the version. */
export function isUnchanged(after: ApiObject, before: ApiObject): boolean {
  const content = ({ metadata: { managedFields: _managed, resourceVersion: _version, ...metadata }, ...rest }: ApiObject) => ({
    ...rest,
    metadata,
  });
  return equalJson(content(after), content(before));
}

/** Whether a terminating object can be removed. */
export function canBeRemoved({ metadata, kind, spec }: ApiObject): boolean {
  if (!metadata.deletionTimestamp || (metadata.finalizers ?? []).length > 0) return false;
  if (kind === 'Namespace' && ((spec as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0) return false;
  return !metadata.deletionGracePeriodSeconds;
}
