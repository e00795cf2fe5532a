import { apiStatusError, type CSINode, type KubeObject, type Node, type ObjectKey, silentLogger } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createNodeInfoManager } from './node-info.js';

const { signal } = new AbortController();
const info = { nodeId: 'i-1', maxVolumesPerNode: 4n, topology: {} };

/** An API server with one object, which rejects its next calls with the given errors. */
function store<T extends KubeObject>(object?: T) {
  const faults: unknown[] = [];
  let current = object;
  const guard = () => {
    if (faults.length > 0) throw faults.shift();
  };
  return {
    faults,
    calls: [] as string[],
    peek: () => current,
    async get(_: ObjectKey) {
      this.calls.push('get');
      guard();
      if (current === undefined) throw apiStatusError({ code: 404, reason: 'NotFound', message: 'not found' });
      return current;
    },
    async create(made: T) {
      this.calls.push('create');
      guard();
      current = made;
      return made;
    },
    async update(changed: T) {
      this.calls.push('update');
      guard();
      current = changed;
      return changed;
    },
    async delete() {
      this.calls.push('delete');
      current = undefined;
    },
  };
}

function setUp(csiNode?: CSINode) {
  const clock = createVirtualClock();
  const nodes = store<Node>({ metadata: { name: 'n', uid: 'u' } });
  const csiNodes = store<CSINode>(csiNode);
  const manager = createNodeInfoManager({ nodeName: 'n', nodes, csiNodes, clock, random: () => 0, logger: silentLogger });
  return { clock, nodes, csiNodes, manager };
}

const conflict = () => apiStatusError({ code: 409, reason: 'Conflict', message: 'changed meanwhile' });

describe('createNodeInfoManager', () => {
  it('tries a write four times with growing delays', async () => {
    const { clock, nodes, csiNodes, manager } = setUp();
    nodes.faults.push(conflict(), conflict(), conflict());
    const start = clock.monotonic();
    await clock.run(manager.install('d', info, signal));
    expect(clock.monotonic() - start).toBe(10 + 50 + 250);
    expect(csiNodes.peek()?.spec.drivers).toEqual([{ name: 'd', nodeID: 'i-1', topologyKeys: [], allocatable: { count: 4 } }]);

    nodes.faults.push(...Array.from({ length: 4 }, conflict));
    await expect(clock.run(manager.install('d', { ...info, nodeId: 'i-2' }, signal))).rejects.toThrow(
      'error updating Node object with CSI driver node info: changed meanwhile',
    );
  });

  it('rejects a driver without a node ID', async () => {
    const { manager, nodes } = setUp();
    await expect(manager.install('d', { ...info, nodeId: '' }, signal)).rejects.toThrow('driverNodeID must not be empty');
    expect(nodes.calls).toEqual([]);
  });

  it('replaces the CSINode of a previous Node of the same name', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'old' };
    const { manager, clock, csiNodes } = setUp({ metadata: { name: 'n', ownerReferences: [owner] }, spec: { drivers: [] } });
    await clock.run(manager.install('d', info, signal));
    expect(csiNodes.calls).toEqual(['get', 'delete', 'get', 'create', 'update']);
    expect(csiNodes.peek()?.metadata?.ownerReferences).toEqual([{ ...owner, uid: 'u' }]);
  });

  it('waits for the API server, then creates the CSINode', async () => {
    const { manager, clock, csiNodes } = setUp();
    csiNodes.faults.push(new Error('no route'), new Error('no route'));
    const start = clock.monotonic();
    await clock.run(manager.initialize(signal));
    expect(clock.monotonic() - start).toBe(2000);
    expect(csiNodes.peek()?.spec.drivers).toEqual([]);
  });

  it('stops waiting when its signal aborts', async () => {
    const { manager, clock, csiNodes } = setUp();
    csiNodes.faults.push(...Array.from({ length: 100 }, () => new Error('no route')));
    const controller = new AbortController();
    const waiting = manager.initialize(controller.signal).catch((error: unknown) => error);
    await clock.advance(5000);
    const reason = new Error('over');
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(clock.pending).toBe(0);
  });

  it('removes a driver from both objects', async () => {
    const { manager, clock, nodes, csiNodes } = setUp();
    await clock.run(manager.install('d', info, signal));
    await clock.run(manager.uninstall('d', signal));
    expect(nodes.peek()?.metadata?.annotations).toEqual({});
    expect(csiNodes.peek()?.spec.drivers).toEqual([]);
  });
});
