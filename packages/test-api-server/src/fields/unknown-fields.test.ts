import { expect, it } from 'vitest';
import { fieldsOfKind } from './built-in-types.js';
import type { ObjectType } from './object-type.js';
import { removeUnknown } from './unknown-fields.js';

const pod = fieldsOfKind({ group: '', version: 'v1', kind: 'Pod' }) as ObjectType;

it('names unknown fields in objects, lists and maps, and removes them', () => {
  const value = {
    kindd: 'Pod',
    metadata: { labels: { '[0]': 'kept' }, colour: 'red' },
    spec: { '[0]': {}, containers: [{ name: 'a' }, { imagee: 'i', env: [{ name: 'E', 'a.b': 1 }] }] },
  };
  const unknown = ['kindd', 'metadata.colour', 'spec.[0]', 'spec.containers[1].imagee', 'spec.containers[1].env[0].a.b'];
  expect(removeUnknown(value, pod)).toEqual(unknown);
  expect(value).toEqual({ metadata: { labels: { '[0]': 'kept' } }, spec: { containers: [{ name: 'a' }, { env: [{ name: 'E' }] }] } });
  expect(removeUnknown(value, pod)).toEqual([]);
});

it('names unknown fields from the path of the value, and those of the objects in a map by their keys', () => {
  const metadata = { name: 'a', colour: 'red' };
  const meta = pod.get('metadata')?.type as ObjectType;
  expect(removeUnknown(metadata, meta, 'metadata')).toEqual(['metadata.colour']);
  const definition = fieldsOfKind({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' }) as ObjectType;
  const openAPIV3Schema = { properties: { spec: { tipe: 'object' } } };
  expect(removeUnknown({ spec: { versions: [{ schema: { openAPIV3Schema } }] } }, definition)).toEqual([
    'spec.versions[0].schema.openAPIV3Schema.properties.spec.tipe',
  ]);
});
