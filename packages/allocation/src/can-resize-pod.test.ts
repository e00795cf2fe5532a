import type { Pod } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { canResizePod, type ResizeInput } from './can-resize-pod.js';
import { nodeResources } from './node-resources.js';
import { cpu, podWith, resized } from './test-pods.js';

const pod = podWith('p', '100m');
const decide = (wanted: Pod, input: Partial<ResizeInput> = {}) =>
  canResizePod({
    pod: wanted,
    allocated: pod,
    allocatable: nodeResources({ cpu: '2', memory: '1Gi' }),
    used: { milliCpu: 500n, memoryBytes: 0n },
    ...input,
  });
const guaranteed = (amounts: { cpu: string; memory: string }, more: object = {}) =>
  buildPod({ name: 'g', containers: [{ name: 'c', resources: { requests: amounts, limits: amounts }, ...more }] });

describe('the resources of the node', () => {
  it('allow a resize that fits into the free resources', () => {
    expect(decide(resized(pod, cpu('1500m')))).toEqual({ fits: true });
  });

  it('defer a resize that fits only without other pods, and name CPU before memory', () => {
    expect(decide(resized(pod, cpu('1501m')))).toEqual({
      fits: false,
      reason: 'Deferred',
      message: "Node didn't have enough resource: cpu, requested: 1501, used: 500, capacity: 2000",
    });
    expect(decide(resized(pod, { requests: { cpu: '100m', memory: '1Gi' } }), { used: { milliCpu: 0n, memoryBytes: 1n } })).toMatchObject({
      reason: 'Deferred',
      message: "Node didn't have enough resource: memory, requested: 1073741824, used: 1, capacity: 1073741824",
    });
  });

  it('make a resize beyond the capacity infeasible, and name memory before CPU', () => {
    expect(decide(resized(pod, cpu('3')))).toEqual({
      fits: false,
      reason: 'Infeasible',
      detail: 'insufficient_node_allocatable',
      message: "Node didn't have enough capacity: cpu, requested: 3000, capacity: 2000",
    });
    expect(decide(resized(pod, { requests: { cpu: '3', memory: '2Gi' } }))).toMatchObject({
      message: "Node didn't have enough capacity: memory, requested: 2147483648, capacity: 1073741824",
    });
  });

  it('count overhead, and allow a pod without requests on a full node', () => {
    const wanted = resized(pod, cpu('1500m'));
    const withOverhead = { ...wanted, spec: { ...wanted.spec, containers: wanted.spec?.containers ?? [], overhead: { cpu: '1m' } } };
    expect(decide(withOverhead)).toMatchObject({ reason: 'Deferred' });
    const none = buildPod({ name: 'none', containers: [{ name: 'c', resources: { limits: {} } }] });
    expect(decide(none, { allocated: none, used: { milliCpu: 9000n, memoryBytes: 0n } })).toEqual({ fits: true });
  });
});

describe('resize in place is infeasible for', () => {
  it('a static pod', () => {
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(decide({ ...resized(pod, cpu('1')), metadata: { annotations } })).toMatchObject({
      reason: 'Infeasible',
      detail: 'static_pod',
      message: 'In-place resize of static-pods is not supported',
    });
  });

  it('a change of the QoS class', () => {
    const amounts = { cpu: '100m', memory: '64Mi' };
    expect(decide(resized(pod, { requests: amounts, limits: amounts }))).toMatchObject({
      reason: 'Infeasible',
      detail: 'qos_class',
      message: 'Pod QOS Class may not change as a result of resizing',
    });
  });

  it.each([
    ['cpu', { cpuManagerPolicy: 'static' }, 'guaranteed_pod_cpu_manager_static_policy', 'CPU Manager policy "static"'],
    ['memory', { memoryManagerPolicy: 'Static' }, 'guaranteed_pod_memory_manager_static_policy', 'Memory Manager policy "Static"'],
  ])('is the %s of a Guaranteed pod that a static manager has placed', (resource, policy, detail, words) => {
    const before = { cpu: '1', memory: '64Mi' };
    const change = { ...before, [resource]: resource === 'cpu' ? '2' : '32Mi' };
    const other = { ...before, [resource === 'cpu' ? 'memory' : 'cpu']: resource === 'cpu' ? '32Mi' : '500m' };
    const input = { ...policy, allocated: guaranteed(before), used: { milliCpu: 0n, memoryBytes: 0n } };
    expect(decide(guaranteed(change), input)).toEqual({
      fits: false,
      reason: 'Infeasible',
      detail,
      message: `Resize is infeasible for Guaranteed Pods alongside ${words}`,
    });
    expect(decide(guaranteed(other), input)).toEqual({ fits: true });
    expect(decide(resized(pod, cpu('1')), policy)).toEqual({ fits: true });
  });

  it('the memory of a container with swap, unless the resize restarts it', () => {
    const usesSwap = () => true;
    const wanted = resized(pod, { requests: { cpu: '100m', memory: '128Mi' } });
    expect(decide(wanted, { usesSwap })).toMatchObject({
      reason: 'Infeasible',
      detail: 'swap_limitation',
      message: 'In-place resize of containers with swap is not supported.',
    });
    expect(decide(resized(pod, cpu('1')), { usesSwap })).toEqual({ fits: true });
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    const restarting = podWith('p', '100m', '128Mi', { resizePolicy });
    expect(decide(restarting, { usesSwap })).toEqual({ fits: true });
  });

  it('the memory of an init container that may swap', () => {
    const withInit = (memory: string) =>
      buildPod({ name: 'i', initContainers: [{ name: 'i', resources: { requests: { memory } } }], containers: [{ name: 'c' }] });
    const usesSwap = (_: Pod, { name }: { name: string }) => name === 'i';
    expect(decide(withInit('64Mi'), { allocated: withInit('32Mi'), usesSwap })).toMatchObject({ detail: 'swap_limitation' });
  });
});
