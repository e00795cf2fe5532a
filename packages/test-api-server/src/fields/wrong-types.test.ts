import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const labels = { app: 'web' };
const container = { name: 'main', image: 'web:1' };
const deployment = (spec: object, pod: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container], ...pod } }, ...spec },
});
const field = 'Go struct field';

describe('a value of a wrong type', () => {
  it.each([
    [deployment({ replicas: 'x' }), `json: cannot unmarshal string into ${field} DeploymentSpec.spec.replicas of type int32`],
    [deployment({ replicas: 1.5 }), `json: cannot unmarshal number 1.5 into ${field} DeploymentSpec.spec.replicas of type int32`],
    [deployment({ paused: 'no' }), `json: cannot unmarshal string into ${field} DeploymentSpec.spec.paused of type bool`],
    [
      deployment({}, { containers: { name: 'main' } }),
      `json: cannot unmarshal object into ${field} PodSpec.spec.template.spec.containers of type []v1.Container`,
    ],
    [
      deployment({}, { containers: [{ ...container, image: 7 }] }),
      `json: cannot unmarshal number into ${field} Container.spec.template.spec.containers.image of type string`,
    ],
    [
      deployment({}, { terminationGracePeriodSeconds: 'x' }),
      `json: cannot unmarshal string into ${field} PodSpec.spec.template.spec.terminationGracePeriodSeconds of type int64`,
    ],
    [
      deployment({}, { nodeSelector: ['a'] }),
      `json: cannot unmarshal array into ${field} PodSpec.spec.template.spec.nodeSelector of type map[string]string`,
    ],
    [
      deployment({}, { nodeSelector: { a: true } }),
      `json: cannot unmarshal bool into ${field} PodSpec.spec.template.spec.nodeSelector of type string`,
    ],
    [
      deployment({}, { securityContext: 'x' }),
      `json: cannot unmarshal string into ${field} PodSpec.spec.template.spec.securityContext of type v1.PodSecurityContext`,
    ],
  ])('is refused in a body: %#', async (body, problem) => {
    const { call } = setUp();
    const refused = await call('POST', deployments, body);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      `Deployment in version "v1" cannot be handled as a Deployment: ${problem}`,
    ]);
  });

  it('is refused in the result of a patch', async () => {
    const { call, patch } = setUp();
    await call('POST', deployments, deployment({}));
    const { status, body } = await patch(`${deployments}/web`, { spec: { replicas: 'x' } });
    expect([status, body.message]).toEqual([422, expect.stringMatching(/^ "" is invalid: patch: Invalid value: /)]);
    expect(body.message).toContain(`": json: cannot unmarshal string into ${field} DeploymentSpec.spec.replicas of type int32`);
  });

  it.each([
    [{ replicas: 'x' }, '.spec.replicas: expected numeric (int or float), got string'],
    [{ paused: 'no' }, '.spec.paused: expected boolean, got &{no}'],
    [{ template: { spec: { dnsPolicy: 8 } } }, '.spec.template.spec.dnsPolicy: expected string, got &value.valueUnstructured{Value:8}'],
    [{ template: { spec: { containers: 'x' } } }, '.spec.template.spec.containers: expected list, got &{x}'],
  ])('is refused in an apply: %j', async (spec, problem) => {
    const { patch } = setUp();
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' }, spec };
    const { status, body: answer } = await patch(`${deployments}/web?fieldManager=a`, body, 'apply-patch+yaml');
    expect([status, answer.message]).toEqual([
      500,
      `failed to create typed patch object (default/web; apps/v1, Kind=Deployment): ${problem}`,
    ]);
  });

  it('is null nowhere', async () => {
    const { call } = setUp();
    expect((await call('POST', deployments, deployment({ replicas: null }, { nodeSelector: null }))).status).toBe(201);
  });
});
