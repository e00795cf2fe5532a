import { localReference } from '../manifest/meta-schema.js';
import { volumeSourceRules } from './volume-source-rules.js';

/** By kind of volume source, its fields that are a reference to an object of the pod's namespace; kinds without are absent. */
export function referenceFields(): Map<string, string[]> {
  const fieldsOf = (fields: object) => Object.entries(fields).flatMap(([field, type]) => (type === localReference ? [field] : []));
  const all = Object.entries(volumeSourceRules).map(([kind, { fields }]) => [kind, fieldsOf(fields)] as const);
  return new Map(all.filter(([, fields]) => fields.length > 0));
}
