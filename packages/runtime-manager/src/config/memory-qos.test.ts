import type { CreateContainerRequest } from '@nodeagent/cri-api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { RuntimeManagerOptions } from '../options.js';
import { createTestNode } from '../test-node.js';

function setUp(options: Partial<RuntimeManagerOptions>) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const created = () => memory.callsOf('createContainer').map(({ request }) => (request as CreateContainerRequest).config);
  return { node: createTestNode(memory, clock, options), created };
}

describe('memory quality of service', () => {
  const limited = buildPod({
    name: 'p',
    uid: 'u',
    containers: [{ name: 'app', image: 'app:1', resources: { requests: { memory: '100Mi' }, limits: { memory: '200Mi' } } }],
  });
  const machine = { memoryBytes: 8n << 30n, cgroupVersion: 2, hugePageSizes: [] } as const;
  const unified = async (settings: RuntimeManagerOptions['settings'], cgroupVersion: 1 | 2 = 2) => {
    const { node, created } = setUp({
      machine: { ...machine, cgroupVersion, hugePageSizes: [] },
      ...(settings && { settings }),
    });
    await node.sync(limited);
    return created()[0]?.linux?.resources?.unified;
  };

  it('is off by default and on cgroup v1', async () => {
    expect(await unified({})).toEqual({ 'memory.oom.group': '1' });
    expect(await unified({ featureGates: { MemoryQoS: true } }, 1)).toBeUndefined();
  });

  it('throttles between request and limit, and protects the request if configured', async () => {
    const high = String(Math.floor((190 << 20) / 4096) * 4096);
    expect(await unified({ featureGates: { MemoryQoS: true } })).toMatchObject({
      'memory.min': '0',
      'memory.low': '0',
      'memory.high': high,
    });
    const settings = {
      featureGates: { MemoryQoS: true },
      memoryReservationPolicy: 'TieredReservation',
      memoryThrottlingFactor: 0.5,
    } as const;
    expect(await unified(settings)).toMatchObject({ 'memory.low': String(100 << 20), 'memory.high': String(150 << 20) });
  });

  it('throttles a container without a limit at the current allocatable memory, in whole pages', async () => {
    let allocatable = 1n << 30n;
    const { node, created } = setUp({
      machine: { ...machine, hugePageSizes: [], pageSize: 65_536, allocatableMemoryBytes: () => allocatable },
      settings: { featureGates: { MemoryQoS: true }, memoryThrottlingFactor: 0.33 },
    });
    const containers = (name: string) => [{ name, image: 'app:1', resources: { requests: { memory: '64Mi' } } }];
    await node.sync(buildPod({ name: 'a', uid: 'a', containers: containers('a') }));
    allocatable *= 2n;
    await node.sync(buildPod({ name: 'b', uid: 'b', containers: containers('b') }));
    const high = (gibibytes: number) => String(Math.floor((2 ** 26 + (gibibytes * 2 ** 30 - 2 ** 26) * 0.33) / 65_536) * 65_536);
    expect(created().map((config) => config?.linux?.resources?.unified?.['memory.high'])).toEqual([high(1), high(2)]);
  });
});
