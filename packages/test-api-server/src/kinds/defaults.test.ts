import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const policy = (type: string, value: number) => ({ type, value, periodSeconds: 15 });

describe('defaults of autoscalers', () => {
  it('are one replica and 80 % of the CPU', async () => {
    const { call } = setUp();
    const { body } = await call('POST', autoscalers, { metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 3 } });
    const resource = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } };
    expect(body.spec).toEqual({ scaleTargetRef, minReplicas: 1, maxReplicas: 3, metrics: [{ type: 'Resource', resource }] });
  });

  it('complete a behavior', async () => {
    const { call } = setUp();
    const behavior = { scaleDown: { stabilizationWindowSeconds: 5 } };
    const { body } = await call('POST', autoscalers, { metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 3, behavior } });
    expect(body.spec.behavior).toEqual({
      scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [policy('Pods', 4), policy('Percent', 100)] },
      scaleDown: { stabilizationWindowSeconds: 5, selectPolicy: 'Max', policies: [policy('Percent', 100)] },
    });
  });

  it.each([
    [
      { scaleTargetRef, minReplicas: 2, maxReplicas: 1 },
      'spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`',
    ],
    [{ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment' }, maxReplicas: 1 }, 'spec.scaleTargetRef.name: Required value'],
    [
      { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 1 },
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
    [
      { scaleTargetRef, maxReplicas: 1, metrics: [{ type: 'Disk' }] },
      'spec.metrics[0].type: Unsupported value: "Disk": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
    [
      { scaleTargetRef, maxReplicas: 1, metrics: [{ type: 'Pods' }] },
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ],
    [
      { scaleTargetRef, maxReplicas: 1, metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }] },
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
    [
      {
        scaleTargetRef,
        maxReplicas: 1,
        metrics: [{ type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '0' } } }],
      },
      'spec.metrics[0].external.target.value: Invalid value: "0": must be positive',
    ],
    [
      { scaleTargetRef, maxReplicas: 1, behavior: { scaleUp: { policies: [policy('Pods', 0)] } } },
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
    ],
    [
      { scaleTargetRef, maxReplicas: 1, behavior: { scaleDown: { stabilizationWindowSeconds: 4000 } } },
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600',
    ],
    [{ scaleTargetRef, minReplicas: 0, maxReplicas: 1 }, 'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1'],
  ])('refuses %j', async (spec, message) => {
    const { call } = setUp();
    const { status, body } = await call('POST', autoscalers, { metadata: { name: 'web' }, spec });
    expect([status, body.message]).toEqual([422, `HorizontalPodAutoscaler.autoscaling "web" is invalid: ${message}`]);
  });
});

it.each([
  ['persistentvolumes', { spec: { capacity: { storage: '1024Mi' }, accessModes: ['ReadWriteOnce'] } }, { capacity: { storage: '1Gi' } }],
  [
    'namespaces/default/persistentvolumeclaims',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } },
    { resources: { requests: { storage: '1Gi' } } },
  ],
  [
    'namespaces/default/limitranges',
    { spec: { limits: [{ type: 'Container', default: { cpu: '1000m' } }] } },
    { limits: [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] },
  ],
  ['namespaces/default/resourcequotas', { spec: { hard: { cpu: '4000m' } } }, { hard: { cpu: '4' } }],
])('writes the amounts of %s in their canonical form', async (path, object, spec) => {
  const { call, patch } = setUp();
  const created = await call('POST', `/api/v1/${path}`, { metadata: { name: 'x' }, ...object });
  expect(created.body.spec).toMatchObject(spec);
  const before = await call('GET', `/api/v1/${path}/x`);
  const again = await patch(`/api/v1/${path}/x`, object);
  expect(again.body.metadata.resourceVersion).toBe(before.body.metadata.resourceVersion);
});
