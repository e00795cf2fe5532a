import type { KindFieldProblem, KindRules } from '../kinds/kind-rules.js';
import type { ApiObject } from '../objects.js';
import type { CustomResource } from '../registry/resource.js';
import { withSchemaDefaults } from './defaults.js';
import { withoutUnknown } from './prune.js';
import { rulesOfSchema } from './rules-loader.js';
import { schemaProblems } from './validate-value.js';

const rulesOfResource = new WeakMap<CustomResource, KindRules>();

/** The rules of the objects of a CustomResourceDefinition: they are pruned, defaulted and validated by the schema of their version. */
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
  const problemsOf = (object: ApiObject, before?: ApiObject): KindFieldProblem[] => {
    if (schema === undefined) return [];
    const problems = schemaProblems(object, schema, before);
    // Rules trust the types of fields, so they are evaluated only for an object that fits its schema.
    return problems.length > 0 ? problems : (rulesOfSchema(schema)?.evaluate(object, before) ?? []);
  };
  const rules: KindRules = {
    applyDefaults: prepare,
    prepareCreate: prepare,
    prepareUpdate: prepare,
    validate: (object) => problemsOf(object),
    validateUpdate: (object, before) => problemsOf(object, before),
    validatesUpdates: true,
  };
  rulesOfResource.set(resource, rules);
  return rules;
}
