import type { ApiObject } from '../objects.js';

/** The metadata that plugins do not change. */
const fixed = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'generation',
  'resourceVersion',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** Replaces the content of an object by that of another, which may be the same object, in place. */
export function replaceContent(object: ApiObject, content: ApiObject): void {
  const own = object.metadata as Record<string, unknown>;
  const kept = Object.fromEntries(fixed.flatMap((field) => (own[field] === undefined ? [] : [[field, own[field]]])));
  const { apiVersion, kind } = object;
  const result = { ...content, apiVersion, kind, metadata: { ...content.metadata, ...kept } };
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, result);
}
