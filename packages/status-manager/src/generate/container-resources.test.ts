import type { ContainerStatus, RuntimeContainerResources } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { anInstance, aStatus, running, waiting } from '../test-builders.js';
import { resourcesInForce } from './container-resources.js';

const allocated = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '500m', memory: '128Mi' } };
const inForce = (resources: RuntimeContainerResources | undefined, old?: ContainerStatus, spec: typeof allocated | object = allocated) =>
  resourcesInForce(spec, anInstance('app', 'running', resources && { resources }), 'containerd://app-0', old);

describe('resources in force', () => {
  it('are the allocated ones, by reference, if the runtime reports none', () => {
    expect(inForce(undefined)).toBe(allocated);
    expect(inForce({ cpuRequest: 100, cpuLimit: 500, memoryRequest: 67_108_864n, memoryLimit: 134_217_728n })).toBe(allocated);
  });

  it('are those that the runtime reports while the container runs', () => {
    expect(inForce({ cpuLimit: 1000, memoryLimit: 268_435_456n })).toEqual({
      requests: allocated.requests,
      limits: { cpu: '1', memory: '256Mi' },
    });
    const stopped = anInstance('app', 'exited', { resources: { cpuLimit: 1000 } });
    expect(resourcesInForce(allocated, stopped, 'containerd://app-0', undefined)).toBe(allocated);
  });

  it('ignore a reported CPU amount that rounds to the same kernel setting as the allocated one', () => {
    const tiny = { requests: { cpu: '1m' }, limits: { cpu: '5m' } };
    expect(inForce({ cpuRequest: 2, cpuLimit: 10 }, undefined, tiny)).toBe(tiny);
    expect(inForce({ cpuRequest: 3, cpuLimit: 11 }, undefined, tiny)).toEqual({ requests: { cpu: '3m' }, limits: { cpu: '11m' } });
    expect(inForce({ cpuRequest: 2, cpuLimit: 10 })).toMatchObject({ requests: { cpu: '2m' }, limits: { cpu: '10m' } });
  });

  it('keep the last value of the same running instance if none is reported', () => {
    const before = { requests: { memory: '77Mi' } };
    const old = aStatus('app', running, { containerID: 'containerd://app-0', resources: before });
    expect(inForce({ cpuLimit: 500 }, old)).toEqual({ ...allocated, requests: { cpu: '100m', memory: '77Mi' } });
    expect(inForce(undefined, { ...old, containerID: 'containerd://other' })).toBe(allocated);
    expect(inForce(undefined, { ...old, state: waiting })).toBe(allocated);
  });

  it('contain only resources of the allocation', () => {
    expect(inForce({ cpuLimit: 500, memoryLimit: 1024n }, undefined, {})).toEqual({});
  });
});
