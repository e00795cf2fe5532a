import type { ApiObject } from '../objects.js';
import type { CustomResource } from '../registry/resource.js';
import type { KindRules } from './kind-rules.js';
import { schemaProblems, withoutUnknown, withSchemaDefaults } from './structural-schema.js';

const rulesOfResource = new WeakMap<CustomResource, KindRules>();

/** Objects of a CustomResourceDefinition are pruned, defaulted and validated by its schema; CEL rules are not evaluated. */
export function customRules(resource: CustomResource): KindRules {
  const known = rulesOfResource.get(resource);
  if (known) return known;
  const { schema } = resource;
  const prepare = (object: ApiObject) => {
    if (schema === undefined) return;
    const { apiVersion, kind, metadata } = object;
    const cleaned = withSchemaDefaults(withoutUnknown(object, schema), schema) as object;
    for (const field of Object.keys(object)) delete object[field];
    Object.assign(object, cleaned, { apiVersion, kind, metadata });
  };
  const rules: KindRules = {
    prepareCreate: prepare,
    prepareUpdate: prepare,
    validate: (object) => (schema === undefined ? [] : schemaProblems(object, schema)),
  };
  rulesOfResource.set(resource, rules);
  return rules;
}
