import { noEvents, silentLogger } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestNode, requesting, testPod } from './test-node.js';

it('returns the met thresholds, the candidates in eviction order with reasons, and the time of the next evaluation', async () => {
  const node = createTestNode(
    { clock: createVirtualClock(), recorder: noEvents, logger: silentLogger },
    {
      settings: {
        evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
        evictionSoft: { 'memory.available': '20%' },
        evictionSoftGracePeriod: { 'memory.available': '1m' },
        enforceNodeAllocatable: [],
      },
      pods: [
        testPod('static', { annotations: { 'kubernetes.io/config.source': 'file' } }),
        requesting('calm', '300Mi', 7),
        requesting('hog', '100Mi'),
        testPod('new'),
      ],
    },
  );
  node.use.set('static', 10n).set('calm', 200n).set('hog', 300n);
  expect(node.manager.explain()).toMatchObject({ conditions: [], signal: 'memory.available' });
  node.left.memory = 150n;
  const start = node.tools.clock.now();
  await node.manager.start();
  await node.tools.clock.advance(10_500);

  expect(node.manager.explain()).toEqual({
    evaluatedAt: start + 10_000,
    nextEvaluationAt: start + 20_000,
    conditions: [{ type: 'MemoryPressure', lastSeenAt: start + 10_000, holdsUntil: start + 310_000 }],
    thresholds: [
      {
        ...{ signal: 'memory.available', operator: 'LessThan', value: { quantity: '100Mi' }, gracePeriodSeconds: 0 },
        displayName: 'memory',
        unit: 'bytes',
        available: '150Mi',
        capacity: '1000Mi',
        level: '100Mi',
        pastGrace: false,
      },
      {
        ...{ signal: 'nodefs.available', operator: 'LessThan', value: { percentage: Math.fround(0.1) }, gracePeriodSeconds: 0 },
        displayName: 'disk',
        unit: 'bytes',
        available: '50Gi',
        capacity: '100Gi',
        level: '10737418400',
        pastGrace: false,
      },
      {
        ...{ signal: 'memory.available', operator: 'LessThan', value: { percentage: Math.fround(0.2) }, gracePeriodSeconds: 60 },
        displayName: 'memory',
        unit: 'bytes',
        available: '150Mi',
        capacity: '1000Mi',
        level: '209715203',
        pastGrace: false,
        since: start,
        evictsAt: start + 60_000,
      },
      {
        ...{ signal: 'containerfs.available', operator: 'LessThan', value: { percentage: Math.fround(0.1) }, gracePeriodSeconds: 0 },
        displayName: 'disk',
        unit: 'bytes',
        available: '50Gi',
        capacity: '100Gi',
        level: '10737418400',
        pastGrace: false,
      },
    ],
    signal: 'memory.available',
    candidates: [
      { namespace: 'default', name: 'new', uid: 'new', evictable: true, reason: 'its usage is unknown; priority 0' },
      {
        namespace: 'default',
        name: 'hog',
        uid: 'hog',
        evictable: true,
        reason: 'uses 300Mi of memory, more than the 100Mi it requests; priority 0',
      },
      {
        namespace: 'default',
        name: 'static',
        uid: 'static',
        evictable: false,
        reason: 'uses 10Mi of memory, requests none; priority 0; critical, never evicted',
      },
      {
        namespace: 'default',
        name: 'calm',
        uid: 'calm',
        evictable: true,
        reason: 'uses 200Mi of memory, not more than the 300Mi it requests; priority 7',
      },
    ],
  });
  node.stats.set('hog', { process_stats: { process_count: 12n } });
  await node.tools.clock.advance(10_000);
  expect(node.manager.explain('pid.available').candidates.map(({ name, reason }) => `${name} ${reason}`)).toContain(
    'hog runs 12 processes; priority 0',
  );
  expect(node.manager.explain('nodefs.inodesFree').candidates.at(-1)?.reason).toBe('uses 0 inodes; priority 7');
  expect(node.kills).toEqual([]);
  await node.manager.stop();
});
