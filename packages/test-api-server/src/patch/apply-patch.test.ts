import { apiStatusOf } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { applyPatch, jsonPatchType, mergePatchType, strategicMergePatchType } from './apply-patch.js';
import { builtInSchema } from './built-in-schemas.js';

const object = { metadata: { labels: { a: '1', b: '2' }, finalizers: ['x'] } };
const schema = builtInSchema('v1', 'ConfigMap');

function statusOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    return apiStatusOf(error);
  }
  return undefined;
}

it('applies the patch according to its media type', () => {
  const patch = { metadata: { labels: { a: null, c: { d: null } }, finalizers: ['y'] } };
  expect(applyPatch({ object, patch, contentType: mergePatchType })).toEqual({
    metadata: { labels: { b: '2', c: {} }, finalizers: ['y'] },
  });
  expect(applyPatch({ object, patch, contentType: strategicMergePatchType, schema })).toEqual({
    metadata: { labels: { b: '2', c: {} }, finalizers: ['y', 'x'] },
  });
  const remove = [{ op: 'remove', path: '/metadata/labels' }];
  expect(applyPatch({ object, patch: remove, contentType: `${jsonPatchType}; charset=utf-8` })).toEqual({
    metadata: { finalizers: ['x'] },
  });
});

it('rejects strategic merge of a custom resource, and unknown media types', () => {
  const custom = statusOf(() => applyPatch({ object, patch: {}, contentType: strategicMergePatchType }));
  expect(custom).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  expect(custom?.message).toBe(
    'the body of the request was in an unknown format - accepted media types include: ' +
      'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  );
  expect(statusOf(() => applyPatch({ object, patch: {}, contentType: 'application/json', schema }))?.code).toBe(415);
});

it('rejects patches whose result is not an object', () => {
  expect(statusOf(() => applyPatch({ object, patch: 1, contentType: mergePatchType }))?.code).toBe(400);
  expect(statusOf(() => applyPatch({ object, patch: [], contentType: strategicMergePatchType, schema }))?.code).toBe(400);
  const nothing = [{ op: 'replace', path: '', value: 1 }];
  expect(statusOf(() => applyPatch({ object, patch: nothing, contentType: jsonPatchType }))?.code).toBe(422);
});
