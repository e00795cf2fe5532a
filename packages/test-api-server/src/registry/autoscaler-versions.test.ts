import { expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
const spec = { scaleTargetRef: target, minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 70 };
const list = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;

it('shows the CPU target of an autoscaler of v1 as a metric in v2, and back', async () => {
  const { call } = setUp();
  const object = { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'web' }, spec };
  const created = await call('POST', `${list('v1')}?fieldValidation=Strict`, object);
  expect([created.status, created.body.spec]).toEqual([201, spec]);
  const inV2 = (await call('GET', `${list('v2')}/web`)).body;
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } };
  expect(inV2.spec).toEqual({ scaleTargetRef: target, minReplicas: 1, maxReplicas: 5, metrics: [cpu] });
  const memory = { type: 'Resource', resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 } } };
  await call('PUT', `${list('v2')}/web`, { ...inV2, spec: { ...inV2.spec, metrics: [memory, cpu] } });
  const inV1 = (await call('GET', `${list('v1')}/web`)).body;
  expect(inV1.spec).toEqual(spec);
  expect(JSON.parse(inV1.metadata.annotations['autoscaling.alpha.kubernetes.io/metrics'])).toEqual([memory]);
  await call('PUT', `${list('v1')}/web`, { ...inV1, spec: { ...spec, targetCPUUtilizationPercentage: 90 } });
  const [first, second] = (await call('GET', `${list('v2')}/web`)).body.spec.metrics;
  expect([first, second.resource.target.averageUtilization]).toEqual([memory, 90]);
});
