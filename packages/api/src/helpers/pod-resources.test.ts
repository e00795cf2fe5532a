import { describe, expect, it } from 'vitest';
import type { Container } from '../objects/container.js';
import type { Pod, PodSpec } from '../objects/pod.js';
import { formatResourceList, podLimits, podRequests, resourceRequest } from './pod-resources.js';
import { computeQosClass, podQosClass } from './qos.js';

const container = (requests?: Record<string, string>, limits?: Record<string, string>, more: Partial<Container> = {}): Container => ({
  name: 'c',
  resources: { requests, limits },
  ...more,
});
const pod = (spec: Partial<PodSpec>): Pod => ({ spec: { containers: [], ...spec } });
const sidecar = { restartPolicy: 'Always' };

describe('requests and limits', () => {
  it('is the larger of the running containers and each init container with the sidecars before it', () => {
    const spec = pod({
      containers: [container({ cpu: '1' }), container({ cpu: '500m' })],
      initContainers: [
        container({ cpu: '3' }, undefined, { name: 'before' }),
        container({ cpu: '200m' }, undefined, { name: 'proxy', ...sidecar }),
        container({ cpu: '2900m' }, undefined, { name: 'after' }),
      ],
    });
    expect(formatResourceList(podRequests(spec))).toEqual({ cpu: '3100m' });
  });

  it('replaces container sums by pod-level resources and adds the overhead', () => {
    const spec = pod({
      containers: [container({ cpu: '1', 'example.com/gpu': '2' }, { memory: '1Gi' })],
      resources: { requests: { cpu: '4' } },
      overhead: { cpu: '250m', memory: '1Mi' },
    });
    expect(formatResourceList(podRequests(spec))).toEqual({ cpu: '4250m', memory: '1Mi', 'example.com/gpu': '2' });
    expect(formatResourceList(podRequests(spec, { excludeOverhead: true, skipPodLevelResources: true }))).toEqual({
      cpu: '1',
      'example.com/gpu': '2',
    });
    expect(formatResourceList(podLimits(spec))).toEqual({ memory: '1025Mi' });
    expect(resourceRequest(spec, 'memory').isZero).toBe(true);
  });

  it('names an invalid quantity', () => {
    expect(() => podRequests(pod({ containers: [container({ cpu: '1 core' })] }))).toThrow(
      expect.objectContaining({ code: 'InvalidQuantity', details: { text: '1 core' } }),
    );
  });
});

describe('quality of service', () => {
  const both = { cpu: '1', memory: '1Gi' };
  it('is Guaranteed only if all containers have equal requests and limits of both', () => {
    expect(computeQosClass(pod({ containers: [container(both, both)] }))).toBe('Guaranteed');
    expect(computeQosClass(pod({ containers: [container(both, both), container()] }))).toBe('Burstable');
    expect(computeQosClass(pod({ containers: [container({ cpu: '1' }, both)] }))).toBe('Burstable');
    expect(computeQosClass(pod({ containers: [container({ cpu: '0' })] }))).toBe('BestEffort');
  });

  it('uses only pod-level resources if there are any, and a QoS class in the status first', () => {
    const spec = pod({ containers: [container({ cpu: '1' })], resources: { requests: both, limits: both } });
    expect(computeQosClass(spec)).toBe('Guaranteed');
    expect(podQosClass({ ...spec, status: { qosClass: 'Burstable' } })).toBe('Burstable');
  });
});
