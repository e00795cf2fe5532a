import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from './test-api-server.fixture.js';

const nonsense: unknown[] = ['x', 5, null, [], {}, { a: 1 }, [1], true];
const core = '/api/v1/namespaces/default';
const paths = [
  ...['pods', 'services', 'events', 'configmaps', 'secrets', 'persistentvolumeclaims', 'bindings'].map((each) => `${core}/${each}`),
  ...['/api/v1/nodes', '/api/v1/namespaces', '/apis/apps/v1/namespaces/default/deployments', '/apis/batch/v1/namespaces/default/jobs'],
  ...['/apis/batch/v1/namespaces/default/cronjobs', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'],
  ...['/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', '/apis/authorization.k8s.io/v1/subjectaccessreviews'],
  ...['/apis/authentication.k8s.io/v1/tokenreviews', `${core}/serviceaccounts/default/token`],
];
const fields = ['spec', 'metadata', 'data', 'status', 'involvedObject', 'subjects', 'roleRef', 'stringData', 'target'];
const metadata = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'name', 'generateName', 'managedFields'];
const spec = ['containers', 'ports', 'selector', 'template', 'names', 'versions', 'jobTemplate', 'tolerations', 'volumes', 'nodeName'];

describe('invalid requests', () => {
  it.each(paths)('never cause a 500: POST %s', async (url) => {
    const { call } = setUp();
    let count = 0;
    for (const value of nonsense) {
      const named = () => ({ name: `n${count++}` });
      const bodies = [
        value,
        ...fields.map((field) => ({ metadata: named(), [field]: value })),
        ...metadata.map((field) => ({ metadata: { ...named(), [field]: value } })),
        ...spec.map((field) => ({ metadata: named(), spec: { containers: [{ name: 'a', image: 'b' }], [field]: value } })),
      ];
      for (const body of bodies) expect((await call('POST', url, body)).status, JSON.stringify(body)).toBeLessThan(500);
    }
  });

  it('cause a 400 if a quantity is none', async () => {
    const { call } = setUp();
    const { status, body } = await call('POST', pods, pod('web', { volumes: [{ name: 'v', emptyDir: { sizeLimit: 'much' } }] }));
    expect([status, body.message]).toEqual([
      400,
      expect.stringMatching(/^Pod in version "v1" cannot be handled as a Pod: quantities must match/),
    ]);
  });

  it.each(['/api/v1/pods?limit=x', '/api/v1/pods?continue=zz', '/%zz', `${pods}/%zz`, '/apis/no/v1/x', `${pods}/a/b/c`, '//'])(
    'is refused: %s',
    async (url) => {
      const { call } = setUp();
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ODD']) {
        const { status } = await call(method, url, {});
        expect([400, 403, 404, 405, 415]).toContain(status);
      }
    },
  );
});
