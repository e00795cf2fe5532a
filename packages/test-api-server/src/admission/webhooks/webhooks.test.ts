import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { pod, pods } from '../../test-api-server.fixture.js';
import { addLabel, allow, configuration, deny, mutating, patchWith, rule, setUpWebhooks, validating, webhook } from './webhooks.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const failing = 'Internal error occurred: failed calling webhook "a.example.com": ';

describe('validating webhooks', () => {
  it('get the review of the request', async () => {
    const { register, create, call, reviews } = setUpWebhooks({ a: allow });
    await register(validating, webhook('a', { rules: [rule('configmaps')] }));
    await create('c', { data: { a: 'b' } });
    expect(reviews[0]).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'c',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c', uid: expect.anything() }, data: { a: 'b' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    await call('DELETE', `${configMaps}/c`);
    expect(reviews[1]).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { data: { a: 'b' } },
      options: { kind: 'DeleteOptions' },
    });
  });

  it('deny requests', async () => {
    const { register, create, server } = setUpWebhooks({
      a: deny('not now'),
      b: () => ({ allowed: false, status: { code: 403, reason: 'Forbidden' } }),
    });
    await register(validating, webhook('a'));
    const { status, body } = await create();
    expect([status, body.message]).toEqual([400, 'admission webhook "a.example.com" denied the request: not now']);
    server.objects.update('validatingwebhookconfigurations', 'hooks', (object) => Object.assign(object, { webhooks: [webhook('b')] }));
    expect((await create()).body).toMatchObject({ code: 403, message: 'admission webhook "b.example.com" denied the request: Forbidden' });
    server.objects.delete('validatingwebhookconfigurations', 'hooks');
    expect((await create()).status).toBe(201);
  });

  it('deny updates, deletions and connections to pods', async () => {
    const { register, call, patch, server } = setUpWebhooks({ a: deny('no') });
    server.objects.create(pod('web'));
    await register(validating, webhook('a', { rules: [rule('pods'), rule('pods/attach', 'CONNECT')] }));
    expect((await patch(`${pods}/web`, { metadata: { labels: { a: 'b' } } })).body.message).toContain('denied the request: no');
    expect((await call('DELETE', `${pods}/web`)).body.message).toContain('denied the request: no');
    expect((await call('DELETE', pods)).body.message).toContain('denied the request: no');
    expect((await call('POST', `${pods}/web/attach?container=main`)).body.message).toContain('denied the request: no');
    expect(server.objects.get('pods', 'web')?.metadata?.labels).toBeUndefined();
  });

  it('deny custom resources and their definitions', async () => {
    const { register, call, server } = setUpWebhooks({ a: deny('no') });
    const names = { plural: 'widgets', kind: 'Widget' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const definition = (plural: string) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { ...names, plural },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    server.objects.create(definition('widgets'));
    await register(validating, webhook('a', { rules: [rule('widgets'), rule('customresourcedefinitions')] }));
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    expect((await call('POST', '/apis/example.com/v1/namespaces/default/widgets', widget)).body.message).toContain('denied the request');
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await call('POST', definitions, definition('others'))).body.message).toContain('denied the request');
  });

  it('do not get requests about webhooks', async () => {
    const { register, call, reviews } = setUpWebhooks({ a: deny('no') });
    await register(validating, webhook('a', { rules: [rule('*')] }));
    expect((await call('POST', mutating, configuration('other', webhook('b')))).status).toBe(201);
    expect((await call('DELETE', `${validating}/hooks`)).status).toBe(200);
    expect(reviews).toEqual([]);
  });

  it('get the Scale of an object, and the options of the request', async () => {
    const { register, call, reviews } = setUpWebhooks({ a: allow });
    const spec = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod('').spec } };
    const url = '/apis/apps/v1/namespaces/default/deployments';
    await call('POST', url, { metadata: { name: 'web' }, spec });
    await register(validating, webhook('a', { rules: [rule('deployments/scale'), rule('deployments', 'DELETE')] }));
    const { status } = await call('PUT', `${url}/web/scale?fieldManager=me`, { metadata: { name: 'web' }, spec: { replicas: 4 } });
    await call('DELETE', `${url}/web`, { gracePeriodSeconds: 3 });
    expect(status).toBe(200);
    expect(reviews[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      subResource: 'scale',
      object: { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 4 } },
      oldObject: { spec: { replicas: 1 } },
      options: { kind: 'UpdateOptions', fieldManager: 'me' },
    });
    expect(reviews[1]?.options).toEqual({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 3 });
  });

  it('send warnings', async () => {
    const { register, create } = setUpWebhooks({ a: () => ({ allowed: true, warnings: ['careful'] }) });
    await register(validating, webhook('a'));
    expect((await create()).headers.warning).toBe('299 - "careful"');
  });

  it.each([
    [() => 500, 'failed to call webhook: an error on the server ("broken") has prevented the request from succeeding'],
    [() => 404, 'failed to call webhook: the server could not find the requested resource'],
    [() => 'rubbish', "failed to call webhook: couldn't get version/kind; json parse error: "],
    [() => '{}', 'received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview'],
    [() => ({ uid: 'other', allowed: true }), 'received invalid webhook response: expected response.uid='],
    [() => Promise.reject(new Error('boom')), 'failed to call webhook: Post "https://hooks.default.svc:443/a?timeout=10s": boom'],
  ])('that answer %s are ignored or fail, by their policy', async (answer, why) => {
    const { register, create, call } = setUpWebhooks({ a: answer as () => string });
    await register(validating, webhook('a'));
    const { status, body } = await create();
    expect(status).toBe(500);
    expect(body.message).toContain(failing + why);
    await call('PUT', `${validating}/hooks`, configuration('hooks', webhook('a', { failurePolicy: 'Ignore' })));
    expect((await create()).status).toBe(201);
  });

  it('that do not answer fail after their timeout', async () => {
    const { register, create, clock } = setUpWebhooks({ a: () => new Promise(() => {}) });
    await register(validating, webhook('a', { timeoutSeconds: 2 }));
    const creation = create();
    await clock.advance(1999);
    expect(await Promise.race([creation, Promise.resolve('pending')])).toBe('pending');
    await clock.advance(1);
    expect((await creation).body.message).toBe(
      `${failing}failed to call webhook: Post "https://hooks.default.svc:443/a?timeout=2s": context deadline exceeded`,
    );
    expect(clock.pending).toBe(0);
  });

  it('get dry runs if they have no side effects', async () => {
    const { register, call, reviews, server } = setUpWebhooks({ a: allow });
    await register(validating, webhook('a', { sideEffects: 'NoneOnDryRun' }));
    expect((await call('POST', `${configMaps}?dryRun=All`, { metadata: { name: 'c' } })).status).toBe(201);
    expect(reviews[0]?.dryRun).toBe(true);
    expect(server.objects.get('configmaps', 'c')).toBeUndefined();
  });

  it('select namespaces and objects by their labels', async () => {
    const { register, create, reviews, server } = setUpWebhooks({ a: allow });
    const selectors = {
      namespaceSelector: { matchLabels: { team: 'a' } },
      objectSelector: { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] },
    };
    await register(validating, webhook('a', selectors));
    await create('first');
    server.objects.update('namespaces', 'default', (object) => Object.assign(object.metadata ?? {}, { labels: { team: 'a' } }));
    await create('second');
    await create('third', { metadata: { name: 'third', labels: { skip: 'me' } } });
    expect(reviews.map(({ name }) => name)).toEqual(['second']);
  });

  it('select requests by conditions', async () => {
    const { register, create, reviews, call } = setUpWebhooks({ a: allow });
    const condition = (expression: string) => ({ matchConditions: [{ name: 'c', expression }] });
    await register(
      validating,
      webhook('a', condition("object.metadata.name.startsWith('a') && request.userInfo.username == 'kubernetes-admin'")),
    );
    await create('a');
    await create('b');
    expect(reviews.map(({ name }) => name)).toEqual(['a']);
    await call('PUT', `${validating}/hooks`, configuration('hooks', webhook('a', condition("object.data.missing == 'x'"))));
    expect((await create('d')).body.message).toContain('configmaps "d" is forbidden: expression');
  });

  it('get a request in the version of their rules, unless they match exactly', async () => {
    const { register, call, reviews } = setUpWebhooks({ a: allow });
    const rules = [{ ...rule('events', 'CREATE'), apiGroups: ['events.k8s.io'] }];
    await register(validating, webhook('a', { rules }), webhook('b', { rules, matchPolicy: 'Exact' }));
    const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'default' }, message: 'text' };
    await call('POST', '/api/v1/namespaces/default/events', event);
    expect(reviews).toMatchObject([{ path: 'a', kind: { group: 'events.k8s.io' }, requestKind: { group: '' }, object: { note: 'text' } }]);
  });
});

describe('mutating webhooks', () => {
  it('change objects in the order of their names', async () => {
    const { register, create, call } = setUpWebhooks({ a: addLabel('a'), b: patchWith({ op: 'add', path: '/data/b', value: 'yes' }) });
    await call('POST', mutating, configuration('z', webhook('b')));
    await register(mutating, webhook('a'));
    expect((await create()).body.data).toEqual({ a: 'yes', b: 'yes' });
  });

  it('change pods, which get the defaults of what was added', async () => {
    const { register, call } = setUpWebhooks({
      a: patchWith({ op: 'add', path: '/spec/initContainers', value: [{ name: 'added', image: 'sidecar' }] }),
    });
    await register(mutating, webhook('a', { rules: [rule('pods', 'CREATE')] }));
    const { body } = await call('POST', pods, pod('web'));
    expect(body.spec.initContainers[0]).toMatchObject({
      name: 'added',
      terminationMessagePath: '/dev/termination-log',
      imagePullPolicy: 'Always',
    });
  });

  it('see the defaults of the object', async () => {
    const { register, call, reviews } = setUpWebhooks({ a: allow });
    await register(mutating, webhook('a', { rules: [rule('deployments', 'CREATE')] }));
    const spec = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod('').spec } };
    await call('POST', '/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'web' }, spec });
    expect(reviews[0]?.object).toMatchObject({ spec: { replicas: 1, template: { spec: { restartPolicy: 'Always' } } } });
  });

  it('are called again after later changes, if they ask for that', async () => {
    const { register, create, reviews } = setUpWebhooks({ a: allow, b: addLabel('b'), c: allow });
    await register(
      mutating,
      webhook('a', { reinvocationPolicy: 'IfNeeded' }),
      webhook('b', { reinvocationPolicy: 'IfNeeded' }),
      webhook('c'),
    );
    await create();
    expect(reviews.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'a']);
  });

  it('work on the newest object, if it changes while they are called', async () => {
    const { register, patch, server, reviews } = setUpWebhooks({
      a: () => {
        if (reviews.length === 1) server.objects.update('configmaps', 'c', (object) => Object.assign(object, { data: { other: 'x' } }));
        return { allowed: true };
      },
    });
    server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } });
    await register(mutating, webhook('a'));
    expect((await patch(`${configMaps}/c`, { data: { mine: 'y' } })).body.data).toEqual({ other: 'x', mine: 'y' });
    expect(reviews).toHaveLength(2);
  });

  it('make objects that must be valid', async () => {
    const { register, create } = setUpWebhooks({ a: patchWith({ op: 'add', path: '/data', value: { 'a/b': 'c' } }) });
    await register(mutating, webhook('a'));
    expect((await create()).status).toBe(422);
  });

  it.each([
    [patchWith({ op: 'remove', path: '/missing' }), 'Internal error occurred: '],
    [() => ({ allowed: true, patch: btoa('[]') }), 'webhook returned response.patch but not response.patchType'],
    [() => ({ allowed: true, patch: '%%', patchType: 'JSONPatch' }), 'webhook returned a response.patch that is no base64 of JSON'],
  ])('that answer a wrong patch fail: %s', async (handler, why) => {
    const { register, create } = setUpWebhooks({ a: handler });
    await register(mutating, webhook('a'));
    const { status, body } = await create();
    expect(status).toBe(500);
    expect(body.message).toContain(why);
  });
});

describe('the pods of a workload', () => {
  const spec = { replicas: 3, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod('').spec } };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
  const sidecar = patchWith({ op: 'add', path: '/spec/containers/-', value: { name: 'sidecar', image: 'mesh' } });

  it('are changed by webhooks, for which the controllers wait', async () => {
    const { register, call, clock, server, reviews } = setUpWebhooks(
      { a: (request) => clock.sleep(1000).then(() => sidecar(request)) },
      { workloads: true },
    );
    await register(mutating, webhook('a', { rules: [rule('pods', 'CREATE')] }));
    expect((await call('POST', '/apis/apps/v1/namespaces/default/deployments', deployment)).status).toBe(201);
    await clock.advance(5000);
    const found = server.objects.list<Pod>('pods');
    expect(found.map((each) => each.spec?.containers.map(({ name }) => name))).toEqual(Array(3).fill(['main', 'sidecar']));
    expect(reviews).toHaveLength(3);
    expect(reviews[0]?.userInfo.username).toBe('system:kube-controller-manager');
  });

  it('are refused by webhooks, one by one', async () => {
    const { register, call, clock, server } = setUpWebhooks({ a: deny('no') }, { workloads: true });
    await register(validating, webhook('a', { rules: [rule('pods', 'CREATE')] }));
    await call('POST', '/apis/apps/v1/namespaces/default/deployments', deployment);
    await clock.advance(5000);
    expect(server.objects.list('pods')).toEqual([]);
    expect(server.objects.list('replicasets')).toHaveLength(1);
  });
});

describe('a webhook configuration', () => {
  it.each([
    [{ name: 'short' }, 'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots'],
    [{ sideEffects: 'Some' }, 'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    [{ timeoutSeconds: 31 }, 'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    [{ clientConfig: {} }, 'webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    [
      { clientConfig: { service: { namespace: 'a', name: 'b', path: 'c' } } },
      `webhooks[0].clientConfig.service.path: Invalid value: "c": must start with a '/'`,
    ],
    [
      { clientConfig: { service: { namespace: 'a', name: 'b', path: '/a//c' } } },
      'service.path: Invalid value: "/a//c": segment[1] may not be empty',
    ],
    [
      { clientConfig: { service: { namespace: 'a', name: 'b', path: '/A' } } },
      'service.path: Invalid value: "/A": segment[0]: a lowercase RFC 1123 subdomain',
    ],
    [{ clientConfig: { service: { name: 'b' } } }, 'webhooks[0].clientConfig.service.namespace: Required value'],
    [{ clientConfig: { url: 'http://a/b' } }, "'https' is the only allowed URL scheme"],
    [{ clientConfig: { url: 'https://a/b', caBundle: 'eA==' } }, 'unable to parse bytes as PEM block'],
    [{ rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] }, 'webhooks[0].rules[0].operations: Required value'],
    [{ failurePolicy: 'Maybe' }, 'webhooks[0].failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"'],
    [
      { matchConditions: [{ name: 'c', expression: 'object.metadata.name ==' }] },
      'webhooks[0].matchConditions[0].expression: Invalid value: "object.metadata.name ==": compilation failed: ERROR: <input>:1:',
    ],
    [{ matchConditions: [{ name: 'c', expression: '1 + 1' }] }, 'must evaluate to bool'],
  ])('is refused with %j', async (more, why) => {
    const { call } = setUpWebhooks();
    for (const url of [mutating, validating]) {
      const { status, body } = await call('POST', url, configuration('hooks', webhook('a', more)));
      expect(status).toBe(422);
      expect(body.message).toContain(why);
    }
  });

  it('may have an empty path', async () => {
    const { register, create, reviews } = setUpWebhooks({ '': allow });
    await register(validating, webhook('a', { clientConfig: { service: { namespace: 'default', name: 'hooks', path: '' } } }));
    expect([(await create()).status, reviews.length]).toEqual([201, 1]);
  });
  it('has defaults', async () => {
    const { call } = setUpWebhooks();
    const { body } = await call('POST', mutating, configuration('hooks', webhook('a')));
    expect(body.webhooks[0]).toMatchObject({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      reinvocationPolicy: 'Never',
      timeoutSeconds: 10,
      namespaceSelector: {},
      rules: [{ scope: '*' }],
      clientConfig: { service: { port: 443 } },
    });
  });
});
