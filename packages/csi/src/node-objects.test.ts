import { describe, expect, it } from 'vitest';
import {
  addDriverToCsiNode,
  addDriverToNode,
  isCsiNodeOfAnother,
  newCsiNode,
  removeDriverFromCsiNode,
  removeDriverFromNode,
} from './node-objects.js';

const info = { nodeId: 'i-1', maxVolumesPerNode: 0n, topology: {} };
const node = { metadata: { name: 'n', uid: 'u', labels: { zone: 'a' }, annotations: { other: 'x' } } };

describe('the node of CSI drivers', () => {
  it('has their IDs in its annotation, sorted, and their topology in its labels', () => {
    const first = addDriverToNode(node, 'z', { ...info, topology: { zone: 'a', rack: '7' } });
    const second = addDriverToNode(first ?? {}, 'a', { ...info, nodeId: 'i-2' });
    expect(second?.metadata).toMatchObject({
      labels: { zone: 'a', rack: '7' },
      annotations: { other: 'x', 'csi.volume.kubernetes.io/nodeid': '{"a":"i-2","z":"i-1"}' },
    });
    expect(addDriverToNode(second ?? {}, 'a', { ...info, nodeId: 'i-2' })).toBeUndefined();
    const third = removeDriverFromNode(second ?? {}, 'z');
    expect(third?.metadata?.annotations).toEqual({ other: 'x', 'csi.volume.kubernetes.io/nodeid': '{"a":"i-2"}' });
    expect(third?.metadata?.labels).toEqual({ zone: 'a', rack: '7' });
    expect(removeDriverFromNode(third ?? {}, 'a')?.metadata?.annotations).toEqual({ other: 'x' });
    expect(removeDriverFromNode(node, 'a')).toBeUndefined();
  });

  it('rejects a second value for a label', () => {
    expect(() => addDriverToNode(node, 'd', { ...info, topology: { zone: 'b' } })).toThrow(
      'detected topology value collision: driver reported "zone":"b" but existing label is "zone":"a"',
    );
  });

  it('has no driver if its annotation is null or empty', () => {
    for (const text of ['null', '{}', '']) {
      const empty = { metadata: { annotations: { 'csi.volume.kubernetes.io/nodeid': text } } };
      expect(removeDriverFromNode(empty, 'd')).toBeUndefined();
      expect(addDriverToNode(empty, 'd', info)?.metadata?.annotations).toEqual({ 'csi.volume.kubernetes.io/nodeid': '{"d":"i-1"}' });
    }
  });

  it('is not changed if its annotation cannot be parsed', () => {
    const broken = { metadata: { annotations: { 'csi.volume.kubernetes.io/nodeid': '{' } } };
    expect(() => addDriverToNode(broken, 'd', info)).toThrow("failed to parse node's");
  });
});

describe('the CSINode', () => {
  it('belongs to its node', () => {
    expect(isCsiNodeOfAnother(newCsiNode(node), node)).toBe(false);
    expect(isCsiNodeOfAnother(newCsiNode({ metadata: { name: 'n', uid: 'old' } }), node)).toBe(true);
  });

  it('has no drivers and no topology keys if the API server returns null for them', () => {
    const empty = { metadata: { name: 'n' }, spec: {} };
    expect(removeDriverFromCsiNode(empty, 'a')).toBeUndefined();
    const one = addDriverToCsiNode(empty, 'a', info);
    expect(one?.spec.drivers).toEqual([{ name: 'a', nodeID: 'i-1', topologyKeys: [] }]);
    const withoutKeys = { ...empty, spec: { drivers: [{ name: 'a', nodeID: 'i-1' }] } };
    expect(addDriverToCsiNode(withoutKeys, 'a', info)).toBeUndefined();
    expect(addDriverToCsiNode(withoutKeys, 'a', { ...info, topology: { zone: 'a' } })?.spec.drivers?.[0]?.topologyKeys).toEqual(['zone']);
  });

  it('lists each driver once, the last changed one last, and is written only if it changes', () => {
    const one = addDriverToCsiNode(newCsiNode(node), 'a', { ...info, maxVolumesPerNode: 2n ** 40n, topology: { z: '1', b: '2' } });
    expect(one?.spec.drivers).toEqual([{ name: 'a', nodeID: 'i-1', topologyKeys: ['b', 'z'], allocatable: { count: 2_147_483_647 } }]);
    const two = addDriverToCsiNode(one ?? newCsiNode(node), 'b', info) ?? newCsiNode(node);
    expect(addDriverToCsiNode(two, 'b', info)).toBeUndefined();
    const changed = addDriverToCsiNode(two, 'a', { ...info, nodeId: 'i-9' });
    expect(changed?.spec.drivers).toEqual([
      { name: 'b', nodeID: 'i-1', topologyKeys: [] },
      { name: 'a', nodeID: 'i-9', topologyKeys: [] },
    ]);
    expect(removeDriverFromCsiNode(two, 'a')?.spec.drivers?.map(({ name }) => name)).toEqual(['b']);
    expect(removeDriverFromCsiNode(two, 'c')).toBeUndefined();
  });
});
