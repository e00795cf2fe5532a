import { expect, it } from 'vitest';
import { modulesLoaded } from '../../requests/module-loads.js';
import { setUp } from '../../test-api-server.fixture.js';
import { rule } from '../webhooks/webhooks.fixture.js';
import { matching, policies } from './policies.fixture.js';

const named = (group: string, version: string, ...resources: string[]) => ({
  matchConstraints: { resourceRules: [{ ...rule(''), apiGroups: [group], apiVersions: [version], resources }] },
});
const deployments = named('apps', 'v1', 'deployments', 'replicasets/scale');

/** The status of a policy with these expressions. */
async function statusOf(match: object, validations: object[], more: object = {}) {
  const { call, patch } = setUp();
  const definition = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, 'max-size': { type: 'integer' } } } },
            },
          },
        },
      ],
    },
  };
  await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const { status, body } = await call('POST', policies.validating, { metadata: { name: 'p' }, spec: { ...match, ...more, validations } });
  if (status !== 201) throw new Error(body.message);
  await modulesLoaded();
  const read = async () => (await call('GET', `${policies.validating}/p`)).body;
  return { read, patch, status: (await read()).status };
}

const widgets = named('example.com', 'v1', 'widgets');

it.each<[string, object, string]>([
  [
    'of a built-in kind',
    deployments,
    'object.spec.replicas > 1 && object.metadata.labels["a"] == "b" && object.spec.template.spec.containers.all(c, has(c.image))',
  ],
  [
    'of a custom kind',
    widgets,
    'object.spec.size > 1 && object.spec.max__dash__size < 3 && object.metadata.creationTimestamp < timestamp("2030-01-01T00:00:00Z")',
  ],
  ['of any kind', matching('*'), 'object.missing > 1'],
  ['of a resource that does not exist', named('apps', 'v1', 'none'), 'object.missing > 1'],
])('finds nothing wrong with expressions on objects %s', async (_, match, expression) => {
  expect((await statusOf(match, [{ expression }])).status).toEqual({ observedGeneration: 1, typeChecking: {} });
});

it('warns of fields and types that the objects do not have', async () => {
  const { status } = await statusOf(deployments, [
    { expression: 'object.spec.replicas > 1' },
    { expression: 'object.replicas > 1', messageExpression: "'is ' + object.spec.replicas" },
  ]);
  expect(status.typeChecking.expressionWarnings).toEqual([
    {
      fieldRef: 'spec.validations[1].expression',
      warning: `apps/v1, Kind=Deployment: compilation failed: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n`,
    },
    { fieldRef: 'spec.validations[1].messageExpression', warning: expect.stringContaining("found no matching overload for '_+_'") },
  ]);
});

it('checks parameters, variables and each kind', async () => {
  const match = named('apps', 'v1', 'statefulsets', 'deployments');
  const { status } = await statusOf(match, [{ expression: 'variables.replicas > params.spec.missing' }], {
    paramKind: { apiVersion: 'example.com/v1', kind: 'Widget' },
    variables: [{ name: 'replicas', expression: 'object.spec.replicas' }],
  });
  const [{ warning }] = status.typeChecking.expressionWarnings;
  expect(warning).toMatch(
    /^apps\/v1, Kind=Deployment: .*undefined field 'missing'[\s\S]*\napps\/v1, Kind=StatefulSet: .*undefined field 'missing'/,
  );
});

it('checks again after a change', async () => {
  const { read, patch } = await statusOf(deployments, [{ expression: 'object.replicas > 1' }]);
  await patch(`${policies.validating}/p`, { spec: { validations: [{ expression: 'object.spec.replicas > 1' }] } });
  await modulesLoaded();
  expect((await read()).status).toEqual({ observedGeneration: 2, typeChecking: {} });
});
