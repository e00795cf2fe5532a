import { describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../audit.js';
import { pod, setUp } from '../../test-api-server.fixture.js';
import { rule } from '../webhooks/webhooks.fixture.js';
import { bindings, matching, policies, withPolicy } from './policies.fixture.js';

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const deployment = (name: string, replicas: number) => ({
  metadata: { name, labels: { app: name } },
  spec: { replicas, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod('').spec } },
});
const few = { ...matching('deployments', 'CREATE', 'UPDATE'), validations: [{ expression: 'object.spec.replicas <= 5' }] };
const denied = "ValidatingAdmissionPolicy 'rules' with binding 'bound' denied request: ";

describe('a ValidatingAdmissionPolicy', () => {
  it('refuses what its expressions are false for', async () => {
    const { call, patch } = await withPolicy('validating', few);
    expect((await call('POST', deployments, deployment('few', 5))).status).toBe(201);
    const { status, body } = await call('POST', deployments, deployment('many', 6));
    const why = `${denied}failed expression: object.spec.replicas <= 5`;
    expect(status).toBe(422);
    expect(body).toMatchObject({
      reason: 'Invalid',
      message: `deployments.apps "many" is forbidden: ${why}`,
      details: { group: 'apps', kind: 'deployments', name: 'many', causes: [{ message: why }] },
    });
    expect((await patch(`${deployments}/few`, { spec: { replicas: 7 } })).status).toBe(422);
  });

  it('lets expressions refer to variables', async () => {
    const variables = [
      { name: 'replicas', expression: 'object.spec.replicas' },
      { name: 'isOdd', expression: 'variables.replicas % 2 == 1' },
    ];
    const messageExpression = "'even: ' + string(variables.replicas)";
    const validations = [
      { expression: 'variables.replicas > 1', reason: 'Forbidden', message: ' too few ' },
      { expression: 'variables.isOdd', messageExpression },
    ];
    const { call } = await withPolicy('validating', { ...few, variables, validations });
    const create = async (replicas: number) => (await call('POST', deployments, deployment(`d${replicas}`, replicas))).body;
    expect(await create(1)).toMatchObject({ code: 403, message: `deployments.apps "d1" is forbidden: ${denied}too few` });
    expect((await create(2)).message).toContain(`${denied}even: 2`);
    expect((await create(3)).kind).toBe('Deployment');
  });

  it('refuses requests for which it fails, unless failures are ignored', async () => {
    const validations = [{ expression: "object.data.missing == 'x'" }];
    const { create } = await withPolicy('validating', { validations });
    expect((await create()).body.message).toContain(
      `${denied}expression 'object.data.missing == 'x'' resulted in error: no such key: data`,
    );
    const lax = await withPolicy('validating', { validations, failurePolicy: 'Ignore' });
    expect((await lax.create()).status).toBe(201);
  });

  it('warns and annotates audit events', async () => {
    const events: AuditEvent[] = [];
    const audit = (event: AuditEvent) => void events.push(event);
    const validations = [{ expression: "'a' in object.data", message: 'no a' }];
    const auditAnnotations = [{ key: 'name', valueExpression: "'is ' + object.metadata.name" }];
    const { create } = await withPolicy(
      'validating',
      { validations, auditAnnotations },
      { validationActions: ['Warn', 'Audit'] },
      { audit },
    );
    const { status, headers } = await create('c', { data: { b: '1' } });
    expect([status, headers.warning]).toEqual([
      201,
      "299 - \"Validation failed for ValidatingAdmissionPolicy 'rules' with binding 'bound': no a\"",
    ]);
    expect(events.at(-1)?.annotations).toEqual({
      'rules/name': 'is c',
      'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([
        { message: 'no a', policy: 'rules', binding: 'bound', expressionIndex: 0, validationActions: ['Warn', 'Audit'] },
      ]),
    });
  });

  it('warns of a request that is denied', async () => {
    const { call, create } = await withPolicy(
      'validating',
      { validations: [{ expression: 'false', message: 'no' }] },
      { validationActions: ['Warn'] },
    );
    await call('POST', policies.validating, {
      metadata: { name: 'strict' },
      spec: { ...matching('configmaps', 'CREATE'), validations: [{ expression: 'false', message: 'never' }] },
    });
    await call('POST', bindings.validating, { metadata: { name: 'strict' }, spec: { policyName: 'strict', validationActions: ['Deny'] } });
    const { status, headers, body } = await create();
    expect([status, body.message, headers.warning]).toEqual([
      422,
      expect.stringContaining("'strict' with binding 'strict' denied request: never"),
      expect.stringContaining("'rules' with binding 'bound': no"),
    ]);
  });

  it('has parameters', async () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      validations: [{ expression: 'params == null || object.metadata.name.startsWith(params.metadata.labels.prefix)' }],
    };
    const paramRef = { selector: { matchLabels: { role: 'rule' } }, parameterNotFoundAction: 'Deny' };
    const { create, server } = await withPolicy('validating', spec, { paramRef });
    expect((await create('a1')).body.message).toContain(
      `${denied}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    const secret = (prefix: string) =>
      server.objects.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: prefix, labels: { role: 'rule', prefix } } });
    secret('a');
    expect((await create('a1')).status).toBe(201);
    expect((await create('b1')).status).toBe(422);
    secret('a2');
    expect((await create('a1x')).status).toBe(422);
  });

  it('matches by conditions, bindings, exclusions and names', async () => {
    const validations = [{ expression: 'false' }];
    const matchConditions = [{ name: 'a', expression: "!request.userInfo.groups.exists(g, g == 'exempt')" }];
    const { matchConstraints } = matching('*', 'CREATE');
    const excludeResourceRules = [{ ...rule('secrets'), resourceNames: ['free'] }];
    const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } };
    const spec = { validations, matchConditions, matchConstraints: { ...matchConstraints, excludeResourceRules } };
    const { create, call } = await withPolicy(
      'validating',
      spec,
      { matchResources },
      { tokens: { t: { username: 'u', groups: ['exempt'] } } },
    );
    expect((await create()).status).toBe(422);
    const secrets = '/api/v1/namespaces/default/secrets';
    expect((await call('POST', secrets, { metadata: { name: 'free' } })).status).toBe(201);
    expect((await call('POST', secrets, { metadata: { name: 'other' } })).status).toBe(422);
    expect((await call('POST', secrets, { metadata: { name: 'mine' } }, { authorization: 'Bearer t' })).status).toBe(201);
    expect((await call('POST', '/api/v1/namespaces/kube-public/secrets', { metadata: { name: 'other' } })).status).toBe(201);
    expect((await call('DELETE', `${bindings.validating}/bound`)).status).toBe(200);
    expect((await create()).status).toBe(201);
  });

  it('asks the authorizer', async () => {
    const expression =
      "authorizer.group('').resource('configmaps').namespace('default').name(object.metadata.name).check('bless').allowed()";
    const { create } = await withPolicy(
      'validating',
      { validations: [{ expression }, { expression: "authorizer.requestResource.check('create').allowed()" }] },
      {},
      {
        authorizer: ({ verb, name }) => ({ allowed: verb !== 'bless' || name === 'good' }),
      },
    );
    expect((await create('good')).status).toBe(201);
    expect((await create('bad')).status).toBe(422);
  });

  it.each([
    [{ validations: [] }, 'spec.validations: Required value: validations or auditAnnotations must contain at least one item'],
    [{ matchConstraints: {} }, 'spec.matchConstraints.resourceRules: Required value'],
    [
      { validations: [{ expression: 'object.x =' }] },
      'spec.validations[0].expression: Invalid value: "object.x =": compilation failed: ERROR',
    ],
    [{ validations: [{ expression: "'text'" }] }, 'must evaluate to bool'],
    [{ validations: [{ expression: 'variables.missing' }] }, "undeclared reference to 'variables'"],
    [{ validations: [{ expression: 'true', reason: 'Odd' }] }, 'spec.validations[0].reason: Unsupported value: "Odd"'],
    [{ variables: [{ name: 'a-b', expression: '1' }] }, 'spec.variables[0].name: Invalid value: "a-b": name is not a valid CEL identifier'],
    [{ paramKind: { apiVersion: 'v1' } }, 'spec.paramKind.kind: Required value'],
  ])('is refused with %j', async (more, why) => {
    const spec = { ...matching('pods', 'CREATE'), validations: [{ expression: 'true' }], ...more };
    const { status, body } = await setUp().call('POST', policies.validating, { metadata: { name: 'rules' }, spec });
    expect(status).toBe(422);
    expect(body.message).toContain(why);
  });

  it.each([
    [{ validationActions: [] }, 'spec.validationActions: Required value'],
    [{ validationActions: ['Deny', 'Warn'] }, 'must not contain both Deny and Warn'],
    [
      { validationActions: ['Deny'], paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
      'one of name or selector must be specified',
    ],
  ])('is not bound with %j', async (spec, why) => {
    const { status, body } = await setUp().call('POST', bindings.validating, {
      metadata: { name: 'b' },
      spec: { policyName: 'rules', ...spec },
    });
    expect(status).toBe(422);
    expect(body.message).toContain(why);
  });
});

describe('a MutatingAdmissionPolicy', () => {
  const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
  const patchBy = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

  it('applies configurations, and merges lists by their keys', async () => {
    const expression = `Object{ spec: Object.spec{ template: Object.spec.template{ spec: Object.spec.template.spec{
      initContainers: [Object.spec.template.spec.initContainers.item{ name: 'mesh', image: 'mesh:1', restartPolicy: 'Always' }],
      containers: [Object.spec.template.spec.containers.item{ name: 'main', image: 'nginx:2' }] } } } }`;
    const { call } = await withPolicy('mutating', {
      ...matching('deployments', 'CREATE'),
      reinvocationPolicy: 'Never',
      mutations: [apply(expression)],
    });
    const { spec } = (await call('POST', deployments, deployment('web', 1))).body.spec.template;
    expect(spec.initContainers).toMatchObject([{ name: 'mesh', restartPolicy: 'Always', imagePullPolicy: 'IfNotPresent' }]);
    expect(spec.containers).toMatchObject([{ name: 'main', image: 'nginx:2', terminationMessagePolicy: 'File' }]);
  });

  it('patches objects, by its parameters', async () => {
    const expression =
      "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a/b': 'x'}}, JSONPatch{op: 'replace', path: '/metadata/annotations/' + jsonpatch.escapeKey('a/b'), value: params.metadata.name}]";
    const spec = { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, reinvocationPolicy: 'Never', mutations: [patchBy(expression)] };
    const { create } = await withPolicy('mutating', spec, { paramRef: { name: 'kube-system', parameterNotFoundAction: 'Deny' } });
    expect((await create()).body.metadata.annotations).toEqual({ 'a/b': 'kube-system' });
  });

  it('refuses requests for which it fails', async () => {
    const { create } = await withPolicy('mutating', {
      reinvocationPolicy: 'Never',
      mutations: [patchBy("[JSONPatch{op: 'remove', path: '/missing'}]")],
    });
    const { status, body } = await create();
    expect(status).toBe(422);
    expect(body.message).toContain("configmaps \"c\" is forbidden: policy 'rules' with binding 'bound' denied request: ");
  });

  it('is refused without a mutation or a policy of reinvocation', async () => {
    const { body } = await setUp().call('POST', policies.mutating, { metadata: { name: 'm' }, spec: matching('pods', 'CREATE') });
    expect(body.message).toContain('spec.mutations: Required value');
    expect(body.message).toContain('spec.reinvocationPolicy: Required value');
  });
});
