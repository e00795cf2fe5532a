import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { podResources } from './pod-resources.js';

const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });

it('counts init containers, sidecars and overhead', () => {
  const pod = buildPod({
    name: 'p',
    overhead: { cpu: '50m', memory: '64Mi' },
    initContainers: [
      { name: 'setup', resources: resources('2', '100Mi') },
      { name: 'proxy', restartPolicy: 'Always', resources: resources('100m', '64Mi') },
    ],
    containers: [{ resources: resources('500m', '1Gi') }, { resources: { requests: { cpu: '250m' } } }],
  });
  expect(podResources(pod)).toEqual({
    requests: { cpu: '2050m', memory: '1152Mi' },
    limits: { cpu: '2050m', memory: '1152Mi' },
    qosClass: 'Burstable',
  });
});

it.each([
  ['BestEffort', {}],
  ['Burstable', { requests: { cpu: '1' } }],
  ['Guaranteed', resources('1', '1Gi')],
])('computes the class %s', (qosClass, each) => {
  expect(podResources({ spec: { containers: [{ name: 'a', resources: each }] } }).qosClass).toBe(qosClass);
});

it('prefers pod-level resources', () => {
  const pod = buildPod({ name: 'p', resources: resources('4', '2Gi'), containers: [{ resources: resources('1', '1Gi') }] });
  expect(podResources(pod)).toMatchObject({ requests: { cpu: '4', memory: '2Gi' }, qosClass: 'Guaranteed' });
});

describe('an in-place resize', () => {
  const container = { name: 'main', image: 'i', imageID: '', ready: true, restartCount: 0 };
  const pod = (conditions: { type: string; status: string; reason?: string; message?: string }[], resize?: string) =>
    buildPod({
      name: 'p',
      containers: [{ resources: resources('2', '1Gi') }],
      status: {
        conditions,
        ...(resize && { resize }),
        containerStatuses: [{ ...container, allocatedResources: { cpu: '1', memory: '1Gi' }, resources: resources('1', '1Gi') }],
      },
    });

  it('has the requested and the allocated resources', () => {
    const message = 'Node did not have enough resource: cpu';
    const { requests, allocated, resize } = podResources(pod([{ type: 'PodResizePending', status: 'True', reason: 'Deferred', message }]));
    expect(requests).toEqual({ cpu: '2', memory: '1Gi' });
    expect(allocated).toEqual({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } });
    expect(resize).toEqual({ state: 'Deferred', message });
  });

  it.each([
    ['InProgress', [{ type: 'PodResizeInProgress', status: 'True' }], undefined],
    ['Error', [{ type: 'PodResizeInProgress', status: 'True', reason: 'Error' }], undefined],
    ['Infeasible', [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }], undefined],
    ['Proposed', [], 'Proposed'],
    [undefined, [{ type: 'PodResizePending', status: 'False' }], undefined],
  ])('is %s', (state, conditions, resize) => {
    expect(podResources(pod(conditions, resize)).resize?.state).toBe(state);
  });
});
