import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { builtInSchema } from '../patch/built-in-schemas.js';
import { customSchema } from '../patch/custom-schema.js';
import type { FieldSchema } from '../patch/field-schema.js';
import { trackUpdate } from '../patch/server-side-apply.js';
import { apiVersionOf, type CustomResource, findSubresource, type ServedResource } from '../registry/resource.js';

const customSchemas = new WeakMap<CustomResource, FieldSchema>();

/** The patch schema of the resource. */
export function schemaOf(definition: ServedResource): FieldSchema | undefined {
  const { custom } = definition;
  if (custom === undefined) return builtInSchema(apiVersionOf(definition), definition.kind);
  const schema = customSchemas.get(custom) ?? customSchema(custom.schema);
  customSchemas.set(custom, schema);
  return schema;
}

/** Top-level fields that a write on this path cannot change, and of which it does not take ownership. */
export function ignoredFields(definition: ServedResource, subresource: string | undefined, object: object): string[] {
  if (subresource === 'status') return Object.keys(object).filter((field) => !['apiVersion', 'kind', 'metadata', 'status'].includes(field));
  return findSubresource(definition, 'status') ? ['status'] : [];
}

/** The object with updated managed fields after a write. */
export function withManager(
  { clock }: ApiContext,
  definition: ServedResource,
  write: { before?: ApiObject; after: ApiObject; fieldManager: string; subresource?: string },
): ApiObject {
  const { before, after, fieldManager, subresource } = write;
  const schema = schemaOf(definition);
  return trackUpdate({
    after,
    manager: fieldManager,
    apiVersion: apiVersionOf(definition),
    ignored: ignoredFields(definition, subresource, after),
    now: clock.now(),
    before,
    subresource,
    schema,
  }) as ApiObject;
}
