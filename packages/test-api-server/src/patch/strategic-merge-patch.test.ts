import { apiStatusOf } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { builtInSchema } from './built-in-schemas.js';
import type { JsonObject } from './field-schema.js';
import { strategicMergePatch } from './strategic-merge-patch.js';

const podSchema = builtInSchema('v1', 'Pod');
const deploymentSchema = builtInSchema('apps/v1', 'Deployment');
const patchPod = (spec: JsonObject, patch: JsonObject) => strategicMergePatch({ spec }, { spec: patch }, podSchema).spec;

function refusal(act: () => unknown) {
  try {
    act();
  } catch (error) {
    return apiStatusOf(error);
  }
  return undefined;
}

describe('lists', () => {
  it("merges by key, and puts what the patch adds first, as the documentation's example shows", () => {
    const template = (containers: unknown[]) => ({ spec: { template: { spec: { containers } } } });
    const live = template([{ name: 'patch-demo-ctr', image: 'nginx' }]);
    const patch = template([{ name: 'patch-demo-ctr-2', image: 'redis' }]);
    expect(strategicMergePatch(live, patch, deploymentSchema)).toEqual(
      template([
        { name: 'patch-demo-ctr-2', image: 'redis' },
        { name: 'patch-demo-ctr', image: 'nginx' },
      ]),
    );
  });

  it('changes the elements in the patch and keeps the position of the others', () => {
    const containers = [
      { name: 'a', image: 'a:1' },
      { name: 'b', image: 'b:1', env: [{ name: 'X', value: '1' }] },
      { name: 'c', image: 'c:1' },
    ];
    expect(patchPod({ containers }, { containers: [{ name: 'b', image: 'b:2', env: [{ name: 'Y', value: '2' }] }] })).toEqual({
      containers: [
        containers[0],
        {
          name: 'b',
          image: 'b:2',
          env: [
            { name: 'Y', value: '2' },
            { name: 'X', value: '1' },
          ],
        },
        containers[2],
      ],
    });
  });

  it('replaces a list without a merge key', () => {
    expect(patchPod({ tolerations: [{ key: 'a' }, { key: 'b' }] }, { tolerations: [{ key: 'c' }] })).toEqual({
      tolerations: [{ key: 'c' }],
    });
  });

  it('deletes elements, and replaces the list with a directive', () => {
    const volumes = [{ name: 'a', emptyDir: {} }, { name: 'b' }];
    expect(patchPod({ volumes }, { volumes: [{ $patch: 'delete', name: 'a' }] })).toEqual({ volumes: [{ name: 'b' }] });
    expect(patchPod({ volumes }, { volumes: [{ name: 'c' }, { $patch: 'delete', name: 'a' }, { $patch: 'replace' }] })).toEqual({
      volumes: [{ name: 'c' }],
    });
  });

  it('merges lists of scalars as sets, and deletes elements', () => {
    const patch = { metadata: { finalizers: ['c', 'a'], '$deleteFromPrimitiveList/finalizers': ['b'] } };
    expect(strategicMergePatch({ metadata: { finalizers: ['a', 'b'] } }, patch, podSchema)).toEqual({
      metadata: { finalizers: ['c', 'a'] },
    });
  });

  it('orders elements as requested, with or without changes', () => {
    const containers = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    const order = { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] };
    const names = (spec: unknown) => (spec as { containers: { name: string }[] }).containers.map(({ name }) => name).join('');
    expect(names(patchPod({ containers }, order))).toBe('bcad');
    expect(names(patchPod({ containers }, { ...order, containers: [{ name: 'a', image: 'x' }] }))).toBe('bcad');
  });
});

describe('objects', () => {
  it('removes fields by null, and ignores nulls for missing fields', () => {
    expect(strategicMergePatch({ a: 1, b: { c: 1 } }, { a: null, b: { c: null }, d: { e: null, f: 1 } })).toEqual({ b: {}, d: { f: 1 } });
  });

  it('follows the directive $patch', () => {
    expect(strategicMergePatch({ a: { b: 1 } }, { a: { $patch: 'replace', c: 1 } })).toEqual({ a: { c: 1 } });
    expect(strategicMergePatch({ a: { b: 1 } }, { a: { $patch: 'delete' } })).toEqual({ a: {} });
    expect(strategicMergePatch({}, { a: { $patch: 'replace', c: 1 } })).toEqual({});
    expect(strategicMergePatch({ a: { b: 1 } }, { a: { $patch: 'merge', c: 1 } })).toEqual({ a: { b: 1, c: 1 } });
  });

  it('keeps only the fields in $retainKeys', () => {
    const live = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(strategicMergePatch(live, patch, deploymentSchema)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  it('replaces a selector with the patch strategy replace', () => {
    const schema = builtInSchema('policy/v1', 'PodDisruptionBudget');
    const selector = (label: string) => ({ spec: { selector: { matchLabels: { [label]: '1' } } } });
    expect(strategicMergePatch(selector('a'), selector('b'), schema)).toEqual(selector('b'));
  });
});

it.each([
  [500, 'map: map[image:x] does not contain declared merge key: name', { spec: { containers: [{ image: 'x' }] } }],
  [500, 'unknown patch type: merge?', { spec: { $patch: 'merge?' } }],
  [500, "patch content doesn't match retainKeys list", { spec: { $retainKeys: ['a'], b: 1 } }],
  [400, 'invalid patch format of retainKeys', { spec: { $retainKeys: 'a' } }],
  [400, 'invalid patch format of primitive list', { metadata: { '$deleteFromPrimitiveList/finalizers': 'a' } }],
  [400, 'invalid patch format of setElementOrder list', { spec: { '$setElementOrder/containers': 'a' } }],
  [
    500,
    "The order in patch list:\n[map[name:b] map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:b]]\n",
    { spec: { containers: [{ name: 'b' }, { name: 'a' }], '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }] } },
  ],
  [422, 'the server rejected our request due to an error in our request', { spec: { containers: [['x']] } }],
])('refuses with %i: %s', (code, message, patch) => {
  const live = { metadata: { finalizers: [] }, spec: { containers: [] } };
  expect(refusal(() => strategicMergePatch(live, patch, podSchema))).toMatchObject({ code, message });
});
