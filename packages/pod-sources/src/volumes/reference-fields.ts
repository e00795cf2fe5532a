import { localReference } from '../manifest/meta-schema.js';
import { volumeSourceRules } from './volume-source-rules.js';

/** The fields of each kind of volume source that refer to an object in the pod's namespace; kinds without such a field are absent. */
export function referenceFields(): Map<string, string[]> {
  const fieldsOf = (fields: object) => Object.entries(fields).flatMap(([field, type]) => (type === localReference ? [field] : []));
  const all = Object.entries(volumeSourceRules).map(([kind, { fields }]) => [kind, fieldsOf(fields)] as const);
  return new Map(all.filter(([, fields]) => fields.length > 0));
}
