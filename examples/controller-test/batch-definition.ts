import type { Batch } from './plan-batch.js';

const integer = (minimum: number) => ({ type: 'integer', minimum });

/** The CustomResourceDefinition of a batch. */
export const batchDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'batches.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'batches', singular: 'batch', kind: 'Batch' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['runs', 'image'],
                properties: {
                  runs: integer(1),
                  parallelism: { ...integer(1), default: 1 },
                  retries: { ...integer(0), default: 0 },
                  image: { type: 'string' },
                },
              },
              status: {
                type: 'object',
                properties: { phase: { type: 'string' }, active: integer(0), succeeded: integer(0), failed: integer(0) },
              },
            },
          },
        },
      },
    ],
  },
};

/** A batch manifest. */
export const newBatch = (name: string, spec: Partial<Batch['spec']>) => ({
  apiVersion: 'example.com/v1',
  kind: 'Batch',
  metadata: { name },
  spec: { image: 'report:1', ...spec },
});
