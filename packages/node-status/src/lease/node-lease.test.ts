import { type Lease, type Node, NodeAgentError } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createApiDouble, refused } from '../test-support/api-double.js';
import { createNodeLease, type NodeLeaseOptions } from './node-lease.js';

function setUp(options: Partial<NodeLeaseOptions> = {}) {
  const clock = createVirtualClock();
  const leases = createApiDouble<Lease>(clock);
  const nodes = createApiDouble<Node>(clock);
  nodes.put({ metadata: { name: 'n1', uid: 'node-uid' } });
  const logger = createRecordingLogger();
  const nodeLease = createNodeLease({ nodeName: 'n1', leases, nodes, clock, random: seededRandom(7), logger, ...options });
  return { clock, leases, nodes, logger, nodeLease, stored: () => leases.objects.get('n1') };
}

const unreachable = () => new NodeAgentError('ApiUnreachable', 'connection refused', { retryable: true });

describe('node lease', () => {
  it('creates the lease and renews it every ten seconds without reading it', async () => {
    const { clock, leases, nodeLease, stored } = setUp();
    await nodeLease.start();
    await nodeLease.start();
    await clock.settle();
    expect(stored()).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: 'n1',
        namespace: 'kube-node-lease',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node-uid' }],
      },
      spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
    });
    await clock.advance(3_600_000);
    expect([leases.count('get'), leases.count('create')]).toEqual([1, 1]);
    expect(leases.count('update')).toBeGreaterThan(345);
    expect(leases.count('update')).toBeLessThanOrEqual(360);
    const gaps = leases.calls.slice(2).map(({ at }, index) => at - (leases.calls[index + 1]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10_400);
    await nodeLease.stop();
    await nodeLease.stop();
    expect([clock.pending, nodeLease.lease?.spec?.holderIdentity]).toEqual([0, 'n1']);
  });

  it('adopts the lease of the previous run, and sets a missing owner', async () => {
    const { clock, leases, nodeLease, stored } = setUp();
    leases.put({ metadata: { name: 'n1', namespace: 'kube-node-lease' }, spec: { holderIdentity: 'n1', leaseDurationSeconds: 40 } });
    await nodeLease.start();
    await clock.settle();
    expect(leases.calls.map(({ verb }) => verb)).toEqual(['get', 'update']);
    expect(stored()?.metadata?.ownerReferences).toHaveLength(1);
    await nodeLease.stop();
  });

  it('creates no lease before the Node exists', async () => {
    const { clock, leases, nodes, nodeLease, stored } = setUp();
    nodes.delete('n1');
    await nodeLease.start();
    await clock.advance(9_000);
    expect([leases.count('create'), nodeLease.lease]).toEqual([0, undefined]);
    nodes.put({ metadata: { name: 'n1' } });
    await clock.advance(1_500);
    expect(stored()?.spec?.holderIdentity).toBe('n1');
    await nodeLease.stop();
  });

  it('retries after 200 ms, 400 ms and so on up to 7 s while the API server is unreachable at the start', async () => {
    const { clock, leases, nodeLease, stored } = setUp();
    leases.intercept = async () => {
      if (clock.monotonic() < 30_000) throw unreachable();
    };
    await nodeLease.start();
    await clock.advance(26_000);
    expect(leases.calls.map(({ at }) => at)).toEqual([0, 200, 600, 1_400, 3_000, 6_200, 12_600, 19_600]);
    await clock.advance(8_000);
    expect(stored()).toBeDefined();
    await nodeLease.stop();
  });

  it('attempts five updates at once, reports repeated failures from the second on, and falls back to reading', async () => {
    let helps = 0;
    const { clock, leases, nodeLease, logger } = setUp({
      onRepeatedHeartbeatFailure: () => {
        helps++;
      },
    });
    await nodeLease.start();
    await clock.advance(9_000);
    leases.intercept = async (verb) => {
      if (verb === 'update') throw unreachable();
    };
    const seen = leases.calls.length;
    await clock.advance(1_500);
    expect(leases.calls.slice(seen).map(({ verb }) => verb)).toEqual([...Array(5).fill('update'), 'get', ...Array(5).fill('update')]);
    expect(helps).toBe(8);
    leases.intercept = async () => {};
    await clock.advance(10_500);
    expect(logger.messages('warn').at(-1)).toBe('cannot renew the lease, will retry');
    expect(nodeLease.lease?.spec?.renewTime?.slice(11, 17)).toBe('00:00:');
    await nodeLease.stop();
  });

  it('reads the lease again after a conflict', async () => {
    const { clock, leases, nodeLease, stored } = setUp();
    await nodeLease.start();
    await clock.advance(5_000);
    const current = stored();
    leases.put({ ...current, metadata: { ...current?.metadata, labels: { theirs: 'yes' } } });
    const seen = leases.calls.length;
    await clock.advance(5_500);
    expect(leases.calls.slice(seen).map(({ verb }) => verb)).toEqual(['update', 'get', 'update']);
    expect(stored()?.metadata?.labels).toEqual({ theirs: 'yes' });
    await nodeLease.stop();
  });

  it('creates the lease again after its deletion', async () => {
    const { clock, leases, nodeLease, stored } = setUp();
    await nodeLease.start();
    await clock.advance(5_000);
    leases.delete('n1');
    await clock.advance(5_500);
    expect([stored()?.spec?.holderIdentity, leases.count('create')]).toEqual(['n1', 2]);
    await nodeLease.stop();
  });

  it('does not wait for a hanging call, nor for any call while it stops', async () => {
    const { clock, leases, nodeLease } = setUp();
    await nodeLease.start();
    await clock.advance(5_000);
    leases.intercept = () => new Promise(() => {});
    await clock.advance(65_000);
    expect(leases.count('update')).toBe(5);
    await nodeLease.stop();
    expect(clock.pending).toBe(0);
  });

  it('writes wall-clock time, and keeps its period when the clock jumps', async () => {
    const { clock, leases, nodeLease } = setUp();
    await nodeLease.start();
    await clock.advance(5_000);
    clock.jump(-3_600_000);
    await clock.advance(60_000);
    expect(leases.count('update')).toBeGreaterThanOrEqual(5);
    expect(nodeLease.lease?.spec?.renewTime?.slice(0, 13)).toBe('2025-12-31T23');
    await nodeLease.stop();
  });

  it.each([
    [{ nodeName: '' }, 'nodeName'],
    [{ leaseDurationSeconds: 0 }, 'leaseDurationSeconds'],
    [{ callTimeoutMs: -1 }, 'callTimeoutMs'],
  ])('rejects %o', (options, field) => {
    expect(() => setUp(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });

  it('retries after the API server rejects a call', async () => {
    const { clock, leases, nodeLease, stored } = setUp();
    leases.intercept = async (verb) => {
      if (verb === 'create' && clock.monotonic() < 1_000) throw refused('Forbidden');
    };
    await nodeLease.start();
    await clock.advance(2_000);
    expect(stored()).toBeDefined();
    await nodeLease.stop();
  });
});
