import { type Lease, type Node, NodeAgentError } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createNodeLease } from '../lease/node-lease.js';
import { createApiDouble, refused } from '../test-support/api-double.js';
import { testMachine, testNetwork } from '../test-support/test-machine.js';
import { createNodeStatusManager } from './node-status-manager.js';

const seeds = [1, 2, 3, 20_261_122];

it.each(seeds)('recovers from hours of a failing API server (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const clock = createVirtualClock();
  const nodes = createApiDouble<Node>(clock);
  const leases = createApiDouble<Lease>(clock);
  const pressure = { memory: false, disk: false, pid: false };
  const runtimeErrors: string[] = [];
  let faults = 0.4;
  const fault = async (_verb: string, signal: AbortSignal | undefined) => {
    if (random() >= faults) return;
    const kind = random();
    if (kind < 0.3) throw refused('Conflict');
    if (kind < 0.5) throw refused('InternalError');
    if (kind < 0.7) throw new NodeAgentError('ApiUnreachable', 'connection refused', { retryable: true });
    await clock.sleep(random() * 30_000, kind < 0.9 ? signal : undefined);
  };
  nodes.intercept = fault;
  leases.intercept = fault;
  const manager = createNodeStatusManager({
    nodeName: 'n1',
    architecture: 'amd64',
    nodes,
    machine: { info: async () => testMachine },
    network: testNetwork,
    runtime: { version: () => ({ type: 'containerd', version: '2.1.9' }), errors: () => runtimeErrors, networkErrors: () => [] },
    pressure: {
      isUnderMemoryPressure: () => pressure.memory,
      isUnderDiskPressure: () => pressure.disk,
      isUnderPIDPressure: () => pressure.pid,
    },
    clock,
    random,
    settings: { registerDeletedNode: true },
  });
  const lease = createNodeLease({ nodeName: 'n1', leases, nodes, clock, random });
  await manager.start();
  await lease.start();
  for (let minute = 0; minute < 180; minute++) {
    const event = random();
    if (event < 0.05) nodes.delete('n1');
    else if (event < 0.1) leases.delete('n1');
    else if (event < 0.3) pressure.memory = !pressure.memory;
    else if (event < 0.4) runtimeErrors.splice(0, 1, ...(runtimeErrors.length > 0 ? [] : ['container runtime is down']));
    else if (event < 0.45) clock.jump((random() - 0.5) * 7_200_000);
    await clock.advance(60_000);
  }
  faults = 0;
  await clock.advance(90_000);
  const conditions = nodes.objects.get('n1')?.status?.conditions;
  expect(conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
    `MemoryPressure=${pressure.memory ? 'True' : 'False'}`,
    'DiskPressure=False',
    'PIDPressure=False',
    `Ready=${runtimeErrors.length > 0 ? 'False' : 'True'}`,
  ]);
  const renewed = parseTime(leases.objects.get('n1')?.spec?.renewTime) ?? 0;
  expect(Math.abs(clock.now() - renewed)).toBeLessThanOrEqual(10_400);
  await manager.stop();
  await lease.stop();
  faults = 0;
  await clock.advance(60_000);
  expect(clock.pending).toBe(0);
});
