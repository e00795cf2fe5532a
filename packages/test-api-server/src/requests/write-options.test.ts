import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const url = '/api/v1/namespaces/default/configmaps';
const configMap = (metadata: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });

describe('options of a write', () => {
  it.each([
    ['POST', 'dryRun=Foo', 'dryRun: Unsupported value: ["Foo"]: supported values: "All"'],
    ['POST', 'dryRun=', 'dryRun: Unsupported value: [""]: supported values: "All"'],
    ['PUT', `fieldManager=${'a'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['PUT', 'fieldManager=%01', 'fieldManager: Invalid value: "\\x01": invalid character U+0001 (at position 0)'],
    ['PATCH', 'force=true', 'force: Forbidden: may not be specified for non-apply patch'],
    [
      'DELETE',
      'propagationPolicy=Foo',
      'propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      'DELETE',
      'propagationPolicy=Orphan&orphanDependents=true',
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
  ])('are checked: %s %s', async (method, query, problem) => {
    const { call, patch } = setUp();
    await call('POST', url, configMap({ name: 'c' }));
    const target = method === 'POST' ? `${url}?${query}` : `${url}/c?${query}`;
    const { body } =
      method === 'PATCH' ? await patch(target, {}) : await call(method, target, method === 'DELETE' ? undefined : configMap({ name: 'c' }));
    const kind = { POST: 'CreateOptions', PUT: 'UpdateOptions', PATCH: 'PatchOptions', DELETE: 'DeleteOptions' }[method];
    expect(body).toMatchObject({ code: 422, message: `${kind}.meta.k8s.io "" is invalid: ${problem}` });
    expect(body.details).toEqual({ group: 'meta.k8s.io', kind, causes: [expect.objectContaining({ field: problem.split(':')[0] })] });
  });

  it('go with an object that has a name and no other namespace', async () => {
    const { call, patch } = setUp();
    await call('POST', url, configMap({ name: 'c' }));
    const missing = 'the name of the object (c based on URL) was undeterminable: name must be provided';
    expect((await call('PUT', `${url}/c`, configMap({}))).body).toMatchObject({ code: 400, message: missing });
    expect((await patch(`${url}/c`, { metadata: null })).body).toMatchObject({ code: 400, message: missing });
    expect((await patch(`${url}/c`, { metadata: { namespace: 'other' } })).body).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });
});
