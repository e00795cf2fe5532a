import type { Event, KubeObject, Node } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { dividedRange } from './node-ipam.js';
import { ttlStep } from './node-ttl.js';

function setUp(clusterCIDRs: string[], nodeMaskSizes?: number[]) {
  const clock = createVirtualClock();
  const nodeIpam = { clusterCIDRs, ...(nodeMaskSizes && { nodeMaskSizes }) };
  const { objects } = createTestApiServer({ clock, nodeIpam, nodeTtl: true });
  const add = (name: string, spec: Node['spec'] = {}) =>
    objects.create({ ...{ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec } } as KubeObject);
  const ranges = () => Object.fromEntries(objects.list<Node>('nodes').map(({ metadata, spec }) => [metadata?.name, spec?.podCIDRs]));
  return { objects, add, ranges };
}

describe('the ranges of nodes', () => {
  it('follow each other in each family, without those that are taken', () => {
    const { add, ranges, objects } = setUp(['10.64.0.0/10', 'fd00:10:64::/56']);
    add('a', { podCIDR: '10.64.1.0/24', podCIDRs: ['10.64.1.0/24'] });
    add('b');
    add('c');
    expect(ranges()).toEqual({ a: ['10.64.1.0/24'], b: ['10.64.0.0/24', 'fd00:10:64::/64'], c: ['10.64.2.0/24', 'fd00:10:64:1::/64'] });
    expect(objects.get<Node>('nodes', 'c')?.spec?.podCIDR).toBe('10.64.2.0/24');
  });

  it('are assigned once another node is deleted if none is left', () => {
    const { add, ranges, objects } = setUp(['10.64.0.0/24'], [25]);
    for (const name of ['a', 'b', 'c']) add(name);
    expect(ranges().c).toBe(undefined);
    expect(objects.list<Event>('events').map(({ message }) => message)).toEqual(['Node c status is now: CIDRNotAvailable']);
    objects.delete('nodes', 'a');
    expect(ranges()).toEqual({ b: ['10.64.0.128/25'], c: ['10.64.0.0/25'] });
  });

  it.each(['10.64.0.0', '10.0.0.0/7', '10.64.0.0/25', 'pods/16'])('are refused for %s', (cidr) => {
    expect(() => dividedRange(cidr)).toThrow(/nodeIpam/);
  });
});

it('a node has the time to live of the size of its cluster, which changes beyond an overlap', () => {
  const { add, objects } = setUp(['10.64.0.0/10']);
  add('a');
  expect(objects.get<Node>('nodes', 'a')?.metadata?.annotations).toEqual({ 'node.alpha.kubernetes.io/ttl': '0' });
  expect([ttlStep(0, 100), ttlStep(0, 101), ttlStep(1, 90), ttlStep(1, 89), ttlStep(0, 5000)]).toEqual([0, 1, 1, 0, 4]);
});
