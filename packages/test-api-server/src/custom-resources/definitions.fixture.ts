import type { setUp } from '../test-api-server.fixture.js';

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const widgets = '/apis/example.com/v1/namespaces/default/widgets';

const anySchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A definition of widgets whose version `v1` has the schema. */
export function definition(schema: unknown = anySchema, version: Record<string, unknown> = {}, spec: Record<string, unknown> = {}) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}

/** The schema of an object with a spec. */
export const withSpec = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});

export const widget = (name: string, spec?: unknown, more: Record<string, unknown> = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  ...(spec !== undefined && { spec }),
  ...more,
});

/** Creates a definition; returns the problems, `field: message`. */
export async function problemsOf(call: ReturnType<typeof setUp>['call'], body: unknown): Promise<string[]> {
  const { status, body: answer } = await call('POST', definitions, body);
  if (status === 201) return [];
  return (answer.details?.causes ?? [{ field: status, message: answer.message }]).map(
    ({ field, message }: { field: string; message: string }) => `${field}: ${message}`,
  );
}
