import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const definition = (kind = 'Widget') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${kind.toLowerCase()}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `${kind.toLowerCase()}s`, kind },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

interface Group {
  name: string;
  versions: { groupVersion: string; version: string }[];
  preferredVersion: { groupVersion: string };
}
interface DiscoveredGroup {
  metadata: { name: string };
  versions: { version: string; freshness: string; resources: { resource: string; scope: string }[] }[];
}

describe('discovery', () => {
  it('has the same resources in every group as in aggregated discovery', async () => {
    const { call } = setUp();
    const { body, headers } = await call('GET', '/apis', undefined, { accept: `${aggregated},application/json` });
    expect([headers['content-type'], body.kind, body.apiVersion]).toEqual([aggregated, 'APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2']);
    const { groups } = (await call('GET', '/apis')).body as { groups: Group[] };
    const found = body.items as DiscoveredGroup[];
    expect(found.map(({ metadata }) => metadata.name)).toEqual(groups.map(({ name }) => name));
    for (const { name, versions, preferredVersion } of groups) {
      expect(preferredVersion.groupVersion).toBe(versions[0]?.groupVersion);
      expect((await call('GET', `/apis/${name}`)).body.preferredVersion).toEqual(preferredVersion);
      for (const { groupVersion, version } of versions) {
        const list = (await call('GET', `/apis/${groupVersion}`)).body.resources as { name: string }[];
        const names = list.map((each) => each.name).filter((each) => !each.includes('/'));
        const entry = found.find(({ metadata }) => metadata.name === name)?.versions.find((each) => each.version === version);
        expect([entry?.freshness, entry?.resources.map(({ resource }) => resource)]).toEqual(['Current', names]);
      }
    }
  });

  it.each([
    [aggregated, true],
    [`application/json;q=0.5,${aggregated}`, true],
    [`application/json,${aggregated}`, false],
    ['application/json', false],
    [undefined, false],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', false],
    ['application/vnd.kubernetes.protobuf,*/*', false],
  ])('answers a client that accepts %s', async (accept, isAggregated) => {
    const { server } = setUp();
    for (const url of ['/api', '/apis']) {
      const { headers, body } = await server.handle({ url, headers: { accept } });
      expect([headers['content-type'], JSON.parse(body as string).kind === 'APIGroupDiscoveryList']).toEqual([
        isAggregated ? aggregated : 'application/json',
        isAggregated,
      ]);
      expect(headers.vary).toBe('Accept');
    }
  });

  it('answers 304 until a CustomResourceDefinition changes the document', async () => {
    const { server, call } = setUp();
    const get = (etag?: string) => server.handle({ url: '/apis', headers: { accept: aggregated, 'if-none-match': etag } });
    const { etag } = (await get()).headers;
    expect(await get(etag)).toMatchObject({ status: 304, body: '' });
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition());
    const changed = await get(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
    expect(changed.body).toContain('widgets');
    await call('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com');
    expect((await get(etag)).status).toBe(304);
  });

  it('ignores a slash at the end', async () => {
    const { call } = setUp();
    for (const path of ['/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/openapi/v2', '/api/v1/namespaces']) {
      const [plain, slashed] = [await call('GET', path), await call('GET', `${path}/`)];
      expect([path, slashed.status]).toEqual([path, 200]);
      expect(slashed.body).toEqual(plain.body);
    }
  });

  it.each(['/api/v2', '/apis/none', '/apis/apps/v2', '/apis/none/v1', '/nothing', '/openapi/v3/apis/none/v1', '/openapi/v4'])(
    'has nothing at %s',
    async (url) => {
      const { call } = setUp();
      expect(await call('GET', url)).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
      expect((await call('POST', url, {})).status).toBe(404);
    },
  );

  it('refuses writes of documents', async () => {
    const { call } = setUp();
    for (const url of ['/api', '/apis/apps/v1', '/version']) expect((await call('POST', url, {})).status).toBe(405);
  });

  it('lists its paths at the root', async () => {
    const { call } = setUp();
    const { paths } = (await call('GET', '/')).body;
    expect(paths).toEqual(expect.arrayContaining(['/api/v1', '/apis/apps', '/apis/apps/v1', '/openapi/v3', '/healthz']));
  });
});

describe('OpenAPI', () => {
  it('has a hash for each document, which a change of its schemas changes', async () => {
    const { server, call } = setUp();
    const index = async () => (await call('GET', '/openapi/v3')).body.paths as Record<string, { serverRelativeURL: string }>;
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition());
    const before = await index();
    const url = before['apis/example.com/v1']?.serverRelativeURL ?? '';
    const { headers } = await call('GET', url);
    expect(headers['cache-control']).toContain('public');
    expect(await server.handle({ url, headers: { 'if-none-match': headers.etag } })).toMatchObject({ status: 304 });
    await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition('Gadget'));
    const after = await index();
    expect(after['apis/example.com/v1']).not.toEqual(before['apis/example.com/v1']);
    expect(after['apis/apps/v1']).toEqual(before['apis/apps/v1']);
    const moved = await server.handle({ url });
    expect([moved.status, moved.headers.location]).toEqual([301, after['apis/example.com/v1']?.serverRelativeURL]);
  });

  it('is JSON or protobuf', async () => {
    const { call } = setUp();
    expect((await call('GET', '/openapi/v2', undefined, { accept: 'application/yaml' })).status).toBe(406);
    expect((await call('GET', '/openapi/v2', undefined, { accept: 'application/yaml,application/json' })).status).toBe(200);
  });

  it('has the fields of built-in kinds, whose references all resolve', async () => {
    const { call } = setUp();
    const { components } = (await call('GET', '/openapi/v3/apis/apps/v1')).body;
    const deployment = components.schemas['io.k8s.api.apps.v1.Deployment'];
    expect(deployment['x-kubernetes-group-version-kind']).toEqual([{ group: 'apps', version: 'v1', kind: 'Deployment' }]);
    expect(deployment.properties.spec).toEqual({ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec' });
    const { replicas, template } = components.schemas['io.k8s.api.apps.v1.DeploymentSpec'].properties;
    expect([replicas.type, template.$ref]).toEqual(['integer', '#/components/schemas/io.k8s.api.core.v1.PodTemplateSpec']);
    const { definitions } = (await call('GET', '/openapi/v2')).body;
    for (const [root, schemas] of [
      ['#/components/schemas/', components.schemas],
      ['#/definitions/', definitions],
    ]) {
      const references = [...JSON.stringify(schemas).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference);
      expect(references.filter((each) => !each.startsWith(root) || !schemas[each.slice(root.length)])).toEqual([]);
    }
    expect(Object.keys(definitions)).toEqual(expect.arrayContaining(['io.k8s.api.core.v1.Pod', 'io.k8s.api.batch.v1.Job']));
  });
});

it.each<[group: string, type: string, required: string[] | undefined]>([
  ['api/v1', 'core.v1.Container', ['name']],
  ['api/v1', 'core.v1.PodSpec', ['containers']],
  ['api/v1', 'core.v1.HTTPGetAction', ['port']],
  ['api/v1', 'core.v1.Event', ['involvedObject', 'metadata']],
  ['api/v1', 'core.v1.ServicePort', ['port']],
  ['api/v1', 'core.v1.ResourceClaim', ['name']],
  ['apis/events.k8s.io/v1', 'events.v1.Event', ['eventTime']],
  ['apis/apps/v1', 'apps.v1.DeploymentSpec', ['selector', 'template']],
  ['apis/apps/v1', 'apps.v1.StatefulSetSpec', ['selector', 'template']],
  ['apis/rbac.authorization.k8s.io/v1', 'rbac.v1.Role', undefined],
])('OpenAPI of %s has the required fields of %s', async (group, type, required) => {
  const { call } = setUp();
  const { schemas } = (await call('GET', `/openapi/v3/${group}`)).body.components;
  expect(schemas[`io.k8s.api.${type}`].required).toEqual(required);
});

it('names the schemas of quantities and of numbers that may be texts', async () => {
  const { call } = setUp();
  const { schemas } = (await call('GET', '/openapi/v3/api/v1')).body.components;
  const name = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
  expect(schemas['io.k8s.api.core.v1.HTTPGetAction'].properties.port).toEqual({ $ref: `#/components/schemas/${name}` });
  expect(schemas[name]).toEqual({ format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] });
  const { definitions } = (await call('GET', '/openapi/v2')).body;
  expect(definitions[name]).toEqual({ type: 'string', format: 'int-or-string' });
  expect(definitions['io.k8s.apimachinery.pkg.api.resource.Quantity']).toEqual({ type: 'string' });
});
