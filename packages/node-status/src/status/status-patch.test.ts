import type { Node, NodeCondition } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { applyStrategicPatch } from '../test-support/api-double.js';
import { nodeStatusPatch } from './status-patch.js';

const condition = (type: string, status: string, heartbeat = 'T0'): NodeCondition => ({ type, status, lastHeartbeatTime: heartbeat });

describe('patch of a node status', () => {
  it('is undefined without changes', () => {
    const node: Node = {
      metadata: { labels: { a: 'b' } },
      status: { images: [], capacity: { cpu: '1' }, conditions: [condition('Ready', 'True')] },
    };
    expect(nodeStatusPatch(node, structuredClone(node))).toBeUndefined();
    expect(nodeStatusPatch({}, { status: { images: [], volumesInUse: [] } })).toBeUndefined();
  });

  it('identifies conditions by their type', () => {
    const before: Node = { status: { conditions: [condition('Ready', 'True'), condition('Old', 'True'), condition('Custom', 'True')] } };
    const after: Node = {
      status: { conditions: [condition('Custom', 'True'), condition('Ready', 'False', 'T1'), condition('New', 'True')] },
    };
    expect(nodeStatusPatch(before, after)).toEqual({
      status: {
        '$setElementOrder/conditions': [{ type: 'Custom' }, { type: 'Ready' }, { type: 'New' }],
        conditions: [
          { type: 'Ready', status: 'False', lastHeartbeatTime: 'T1' },
          condition('New', 'True'),
          { $patch: 'delete', type: 'Old' },
        ],
      },
    });
  });

  it('replaces existing addresses as a whole, and sets the first ones unchanged', () => {
    const one = { type: 'InternalIP', address: '10.0.0.1' };
    const two = { type: 'InternalIP', address: 'fd00::1' };
    expect(nodeStatusPatch({ status: { addresses: [one] } }, { status: { addresses: [one, two] } })).toEqual({
      status: { addresses: [one, two, { $patch: 'replace' }] },
    });
    expect(nodeStatusPatch({}, { status: { addresses: [one] } })).toEqual({ status: { addresses: [one] } });
  });

  it('sets, changes and removes resources, labels and lists, but not the spec', () => {
    const before: Node = {
      metadata: { labels: { removed: 'x', kept: 'y' } },
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '1', gpu: '2' }, volumesInUse: ['a'], images: [{ names: ['x'], sizeBytes: 1 }] },
    };
    const after: Node = {
      metadata: { labels: { kept: 'y' } },
      spec: {},
      status: { capacity: { cpu: '2' }, volumesInUse: [], images: [{ names: ['x', 'y'], sizeBytes: 1 }] },
    };
    expect(nodeStatusPatch(before, after)).toEqual({
      metadata: { labels: { removed: null } },
      status: { capacity: { cpu: '2', gpu: null }, volumesInUse: null, images: [{ names: ['x', 'y'], sizeBytes: 1 }] },
    });
  });

  it('transforms any node into any other', () => {
    const seed = 20_261_121;
    const random = seededRandom(seed);
    const pick = <T>(...items: T[]): T => items[Math.floor(random() * items.length)] as T;
    const some = <T>(items: T[]): T[] => items.filter(() => random() < 0.5).sort(() => random() - 0.5);
    const anyNode = (): Node => ({
      metadata: { labels: Object.fromEntries(some(['a', 'b', 'c']).map((name) => [name, pick('x', 'y')])) },
      status: {
        conditions: some(['Ready', 'MemoryPressure', 'DiskPressure', 'Custom']).map((type) =>
          condition(type, pick('True', 'False'), pick('T0', 'T1')),
        ),
        addresses: some(['10.0.0.1', '10.0.0.2', 'fd00::1']).map((address) => ({ type: 'InternalIP', address })),
        capacity: Object.fromEntries(some(['cpu', 'memory', 'gpu']).map((name) => [name, pick('1', '2')])),
        volumesInUse: some(['v1', 'v2']),
      },
    });
    const withoutEmpty = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (_key, item) => (Array.isArray(item) && item.length === 0 ? undefined : item)));
    for (let round = 0; round < 500; round++) {
      const [before, after] = [anyNode(), anyNode()];
      const patched = applyStrategicPatch(before as Record<string, unknown>, nodeStatusPatch(before, after) ?? {});
      expect(withoutEmpty(patched), `seed ${seed}, round ${round}`).toEqual(withoutEmpty(after));
    }
  });
});
