import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtInSchema } from './built-in-schemas.js';
import { createStrategicMergePatch } from './create-strategic-merge-patch.js';
import { strategicMergePatch } from './strategic-merge-patch.js';

const schema = builtInSchema('v1', 'Pod');

const name = fc.constantFrom('a', 'b', 'c', 'd');
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const named = <T extends { name: string }>(element: fc.Arbitrary<T>) =>
  fc.uniqueArray(element, { selector: (item) => item.name, maxLength: 4 });
const strings = fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 });

const container = fc.record(
  {
    name,
    image: name,
    args: strings,
    env: named(fc.record({ name, value: fc.constantFrom('1', '2') })),
    resources: fc.dictionary(
      fc.constantFrom('limits', 'requests'),
      fc.dictionary(fc.constantFrom('cpu', 'memory'), fc.constantFrom('1', '2')),
    ),
  },
  { requiredKeys: ['name'] },
);
const volume = fc
  .tuple(
    name,
    fc.constantFrom('emptyDir', 'secret', 'hostPath'),
    fc.dictionary(fc.constantFrom('path', 'medium'), fc.constantFrom('1', '2')),
  )
  .map(([volumeName, source, value]) => ({ name: volumeName, [source]: value }));
const pod = fc.record({
  metadata: fc.record(
    {
      labels: fc.dictionary(fc.constantFrom('p', 'q', 'r'), fc.constantFrom('1', '2')),
      finalizers: fc.uniqueArray(fc.constantFrom('x', 'y', 'z')),
    },
    { requiredKeys: [] },
  ),
  spec: fc.record(
    { containers: named(container), volumes: named(volume), tolerations: fc.array(fc.record({ key: name })) },
    { requiredKeys: ['containers'] },
  ),
  status: some(
    fc.record({
      phase: fc.constantFrom('Running', 'Failed'),
      podIPs: fc.uniqueArray(fc.record({ ip: name }), { selector: ({ ip }) => ip }),
    }),
  ),
});
const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

it('transforms one object into the other, including the order of lists, and changes neither', () => {
  fc.assert(
    fc.property(pod.map(json), pod.map(json), (original, modified) => {
      const before = structuredClone([original, modified]);
      const patch = createStrategicMergePatch(original, modified, schema);
      expect(strategicMergePatch(original, patch, schema)).toEqual(modified);
      expect([original, modified]).toEqual(before);
    }),
    { numRuns: 200 },
  );
});

it('is empty for equal objects', () => {
  fc.assert(
    fc.property(pod.map(json), (object) => {
      expect(createStrategicMergePatch(object, structuredClone(object), schema)).toEqual({});
    }),
  );
});

it('is as small as that of kubectl', () => {
  const original = {
    spec: { containers: [{ name: 'a', image: '1', args: ['x'] }, { name: 'b' }], volumes: [{ name: 'v', emptyDir: {} }] },
  };
  const modified = { spec: { containers: [{ name: 'a', image: '2', args: ['x'] }], volumes: [{ name: 'v', hostPath: { path: '/' } }] } };
  expect(createStrategicMergePatch(original, modified, schema)).toEqual({
    spec: {
      '$setElementOrder/containers': [{ name: 'a' }],
      containers: [
        { name: 'a', image: '2' },
        { name: 'b', $patch: 'delete' },
      ],
      '$setElementOrder/volumes': [{ name: 'v' }],
      volumes: [{ name: 'v', $retainKeys: ['hostPath', 'name'], emptyDir: null, hostPath: { path: '/' } }],
    },
  });
});
