import { describe, expect, it } from 'vitest';
import { machineNetwork } from './http/machine-network.js';
import { pod, pods, setUp } from './test-api-server.fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';
const configMap = (data: object, more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data, ...more });
const secret = (data: object, more: object = {}) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data, ...more });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const mebibyte = 1024 * 1024;

describe('the size of', () => {
  it('annotations is limited to 256 KiB, keys included, in new and changed objects', async () => {
    const { call, patch } = setUp();
    const annotations = (bytes: number) => ({ a: 'x'.repeat(bytes - 1) });
    const problem = 'metadata.annotations: Too long: may not be more than 262144 bytes';
    expect((await call('POST', configMaps, configMap({}, { metadata: { name: 'c', annotations: annotations(262_144) } }))).status).toBe(
      201,
    );
    const { status, body } = await patch(`${configMaps}/c`, { metadata: { annotations: annotations(262_145) } });
    expect([status, body.message]).toEqual([422, `ConfigMap "c" is invalid: ${problem}`]);
    expect(body.details.causes[0].reason).toBe('FieldValueTooLong');
    const refused = await call('POST', pods, pod('web', {}, { annotations: annotations(262_145) }));
    expect(refused.body.message).toBe(`Pod "web" is invalid: ${problem}`);
    await call('POST', pods, pod('web'));
    const changed = await patch(`${pods}/web`, { metadata: { annotations: annotations(262_145) } });
    expect(changed.body.message).toBe(`Pod "web" is invalid: ${problem}`);
  });

  it('the values of a configMap is limited to 1 MiB', async () => {
    const { call } = setUp();
    const half = 'x'.repeat(mebibyte / 2);
    const fits = { data: { a: half }, binaryData: { b: base64(half) } };
    expect((await call('POST', configMaps, { ...configMap({}), ...fits })).status).toBe(201);
    const { status, body } = await call('PUT', `${configMaps}/c`, { ...configMap({}), ...fits, data: { a: `${half}x` } });
    expect([status, body.message]).toEqual([422, 'ConfigMap "c" is invalid: []: Too long: may not be more than 1048576 bytes']);
  });

  it('the values of a secret is limited to 1 MiB', async () => {
    const { call } = setUp();
    expect((await call('POST', secrets, secret({ a: base64('x'.repeat(mebibyte)) }))).status).toBe(201);
    const { status, body } = await call('PUT', `${secrets}/s`, secret({ a: base64('x'.repeat(mebibyte + 1)) }));
    expect([status, body.message]).toEqual([422, 'Secret "s" is invalid: data: Too long: may not be more than 1048576 bytes']);
  });

  it('a body is limited to 3 MiB', async () => {
    const { call, patch } = setUp();
    const text = (bytes: number) => {
      const empty = JSON.stringify(configMap({ a: '' }));
      return JSON.stringify(configMap({ a: 'x'.repeat(bytes - empty.length) }));
    };
    expect((await call('POST', configMaps, text(3 * mebibyte))).status).toBe(422);
    const { status, body } = await call('POST', configMaps, text(3 * mebibyte + 1));
    expect([status, body.reason, body.message]).toEqual([413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728']);
    expect((await patch(`${configMaps}/c`, text(3 * mebibyte + 1))).status).toBe(413);
    expect((await call('POST', configMaps, JSON.stringify(configMap({ a: 'é'.repeat(1.5 * mebibyte) })))).status).toBe(413);
  });
});

it('a body over HTTP is limited to 3 MiB', async () => {
  const { server } = setUp({ network: machineNetwork });
  const url = await server.listen();
  const body = JSON.stringify(configMap({ a: 'x'.repeat(3 * mebibyte) }));
  const response = await fetch(`${url}${configMaps}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  expect([response.status, ((await response.json()) as { reason: string }).reason]).toEqual([413, 'RequestEntityTooLarge']);
  await server.close();
});

describe('the keys of configMaps and secrets', () => {
  const rule =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
  it.each([
    ['a/b', [rule]],
    ['', [rule]],
    ['.', ["must not be '.'"]],
    ['..', ["must not be '..'"]],
    ['..a', ["must not start with '..'"]],
    ['k'.repeat(254), ['must be no more than 253 bytes']],
  ])('cannot be %j', async (key, rules) => {
    const { call } = setUp();
    for (const [url, object] of [
      [configMaps, configMap({ [key]: '' })],
      [secrets, secret({ [key]: '' })],
    ] as const) {
      const { status, body } = await call('POST', url, object);
      expect(status).toBe(422);
      const causes = body.details.causes.map(({ field, message }: { field: string; message: string }) => [field, message]);
      expect(causes).toEqual(rules.map((each) => [`data[${key}]`, `Invalid value: ${JSON.stringify(key)}: ${each}`]));
    }
  });

  it('are in data or in binaryData', async () => {
    const { call } = setUp();
    const { body } = await call('POST', configMaps, configMap({ a: '' }, { binaryData: { a: '' } }));
    expect(body.message).toBe('ConfigMap "c" is invalid: data[a]: Invalid value: "a": duplicate of key present in binaryData');
  });

  it.each([
    ['a number', configMaps, configMap({ a: 1 }), 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    ['text', configMaps, configMap({}, { binaryData: { a: '***' } }), 'illegal base64 data at input byte 0'],
    ['text', secrets, secret({ a: 'abcd*' }), 'illegal base64 data at input byte 4'],
    ['cut base64', secrets, secret({ a: 'abcdab' }), 'illegal base64 data at input byte 4'],
  ])('cannot have %s in %s as value', async (_, url, object, problem) => {
    const { call } = setUp();
    const { status, body } = await call('POST', url, object);
    expect([status, body.message]).toEqual([400, `${object.kind} in version "v1" cannot be handled as a ${object.kind}: ${problem}`]);
  });

  it.each([
    ['kubernetes.io/tls', {}, ['data[tls.crt]', 'data[tls.key]']],
    ['kubernetes.io/ssh-auth', {}, ['data[ssh-privatekey]']],
    ['kubernetes.io/basic-auth', {}, ['data[username]', 'data[password]']],
    ['kubernetes.io/basic-auth', { password: '' }, []],
    ['kubernetes.io/dockerconfigjson', {}, ['data[.dockerconfigjson]']],
    ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64('{') }, ['data[.dockerconfigjson]']],
    ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': base64('{}') }, []],
    ['kubernetes.io/service-account-token', {}, ['metadata.annotations[kubernetes.io/service-account.name]']],
    ['example.com/own', {}, []],
  ])('of a secret of type %s are required: %j', async (type, data, fields) => {
    const { call } = setUp();
    const { body } = await call('POST', secrets, secret(data, { type }));
    expect((body.details?.causes ?? []).map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe('the priority of a pod', () => {
  const priorityClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 };

  it.each([
    [{ priority: 1 }, 'the integer value of priority (1) must not be provided in pod spec; priority admission controller computed 0'],
    [
      { priority: 1, priorityClassName: 'high' },
      'the integer value of priority (1) must not be provided in pod spec; priority admission controller computed 1000',
    ],
    [
      { preemptionPolicy: 'Never', priorityClassName: 'high' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority',
    ],
  ])('is refused where it disagrees with its class: %j', async (spec, why) => {
    const { call, server } = setUp();
    server.objects.create(priorityClass);
    const { status, body } = await call('POST', pods, pod('web', spec));
    expect([status, body.reason]).toEqual([403, 'Forbidden']);
    expect(body.message).toBe(`pods "web" is forbidden: ${why} from the given PriorityClass name`);
  });

  it.each([
    [{}, 0],
    [{ priority: 0 }, 0],
    [{ priority: 1000, priorityClassName: 'high' }, 1000],
    [{ priority: 2_000_001_000, priorityClassName: 'system-node-critical' }, 2_000_001_000],
  ])('is accepted where it agrees: %j', async (spec, priority) => {
    const { call, server } = setUp();
    server.objects.create(priorityClass);
    const { status, body } = await call('POST', pods, pod('web', spec));
    expect([status, body.spec.priority]).toEqual([201, priority]);
  });
});
