import type { Clock, Pod, Summary } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { AgentEviction } from '../options/agent-options.js';
import { createTestAgent } from '../test-agent.js';
import { conditionOf, joined, running, untilReady, userPod } from '../test-member.js';

const mib = 1n << 20n;
const capacity = 1000n * mib;

/** Stats of a node in which the active pods use the memory of `use`, in MiB. */
function testMemory(clock: Clock, pods: () => Pod[], use: ReadonlyMap<string, bigint>): AgentEviction {
  return {
    settings: { evictionHard: { 'memory.available': '100Mi' }, evictionPressureTransitionPeriodMs: 60_000 },
    summary: {
      async summary(): Promise<Summary> {
        const time = new Date(clock.now()).toISOString();
        const used = (pod: Pod) => (use.get(pod.metadata?.name ?? '') ?? 0n) * mib;
        const workingSetBytes = pods().reduce((sum, pod) => sum + used(pod), 0n);
        return {
          node: { nodeName: 'node', startTime: time, memory: { time, workingSetBytes, availableBytes: capacity - workingSetBytes } },
          pods: pods().map((pod) => ({
            podRef: { name: pod.metadata?.name ?? '', namespace: 'default', uid: pod.metadata?.uid ?? '' },
            startTime: time,
            containers: [{ name: 'main', startTime: time, memory: { time, workingSetBytes: used(pod) } }],
            memory: { time, workingSetBytes: used(pod) },
          })),
        };
      },
    },
  };
}

const guaranteed = { resources: { requests: { cpu: '1', memory: '512Mi' }, limits: { cpu: '1', memory: '512Mi' } } };

describe('a node that runs out of memory', () => {
  it('evicts the largest pod, keeps the guaranteed one, and rejects best-effort pods until the end of the transition period', async () => {
    const use = new Map([
      ['safe', 500n],
      ['hog', 100n],
    ]);
    let alive: () => Pod[] = () => [];
    const member = await joined({
      agent: (clock) => ({ eviction: testMemory(clock, () => alive(), use) }),
    });
    const { clock, server } = member;
    alive = () => server.objects.list<Pod>('pods').filter(({ metadata }) => running(member).includes(metadata?.name ?? ''));
    server.objects.create(userPod('safe', { container: guaranteed }));
    server.objects.create(userPod('hog'));
    await untilReady(member, 'safe');
    await untilReady(member, 'hog');
    await clock.advance(20_000);
    expect(member.agent.eviction?.isUnderMemoryPressure()).toBe(false);

    use.set('hog', 450n);
    await clock.until(() => member.pod('hog')?.status?.phase === 'Failed', 60_000);
    const evictedAt = clock.now();
    const message =
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
      'Container main was using 450Mi, request is 0, has larger consumption of memory. ';
    expect(member.pod('hog')?.status).toMatchObject({
      reason: 'Evicted',
      message,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
      ]),
    });
    expect(member.eventLines('node')).toContain('Warning EvictionThresholdMet Attempting to reclaim memory');
    expect(member.eventLines('hog')).toContain(`Warning Evicted ${message}`);
    await clock.until(() => conditionOf(member.node(), 'MemoryPressure') === 'True', 20_000);
    expect(running(member)).toEqual(['safe']);

    server.objects.create(userPod('late', { nodeName: 'node' }));
    server.objects.create(userPod('burst', { nodeName: 'node', container: { resources: { requests: { memory: '10Mi' } } } }));
    await clock.until(() => member.pod('late')?.status?.phase === 'Failed', 10_000);
    expect(member.pod('late')?.status).toMatchObject({
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
    });
    await untilReady(member, 'burst');

    await clock.until(() => conditionOf(member.node(), 'MemoryPressure') === 'False', 120_000);
    expect(clock.now() - evictedAt).toBeGreaterThan(49_000);
    expect(member.agent.eviction?.explain().conditions).toEqual([]);
    expect(running(member).sort()).toEqual(['burst', 'safe']);
    expect(member.eventLines().filter((line) => line.includes('low on resource'))).toHaveLength(1);
    expect(await member.end()).toBe(0);
  });

  it.each([
    ['follows events', 'on'],
    ['relists', 'off'],
  ] as const)('reports an evicted pod whose container exits with 0 as evicted if it %s', async (_how, evented) => {
    const use = new Map([['hog', 950n]]);
    let pods: () => Pod[] = () => [];
    const member = await joined({
      agent: (clock) => ({ eviction: testMemory(clock, () => pods(), use), settings: { resolvConf: '', evented } }),
    });
    const { clock, server, memory } = member;
    memory.script('main', { onStop: { code: 0, afterMs: 500 } });
    pods = () => server.objects.list<Pod>('pods').filter(({ metadata }) => running(member).includes(metadata?.name ?? ''));
    const reported: (string | undefined)[] = [];
    member.agent.on('status', (_pod, { phase, reason }) => void reported.push(`${phase} ${reason}`));
    server.objects.create(userPod('hog', { restartPolicy: 'Never' }));
    await clock.until(() => running(member).length === 1, 60_000);
    await clock.until(() => running(member).length === 0, 60_000);
    await clock.advance(120_000);
    const message = expect.stringContaining('The node was low on resource: memory.');
    expect(member.agent.pods()[0]?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
    expect(member.pod('hog')?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
    expect(member.pod('hog')?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
    expect(reported.filter((status) => status?.startsWith('Succeeded'))).toEqual([]);
    expect(await member.end()).toBe(0);
  });

  it('subtracts hard thresholds from allocatable', async () => {
    const member = await joined({
      agent: (clock) => ({ eviction: testMemory(clock, () => [], new Map()) }),
    });
    expect(member.node()?.status).toMatchObject({ capacity: { memory: '8Gi' }, allocatable: { memory: '8092Mi' } });
    await member.end();
  });

  it('does not evict without stats, and stops while it waits for them', async () => {
    const node = createTestAgent([buildPod({ name: 'web' })], { eviction: { summary: { summary: () => new Promise(() => {}) } } });
    await node.agent.start();
    await node.untilReady('web');
    await node.clock.advance(45_000);
    expect(node.agent.eviction?.explain().lastError).toBe('no answer within 30000 ms: node usage');
    expect(node.phase('web')).toBe('Running');
    await node.agent.stop();
    expect(node.clock.pending).toBe(0);
  });
});
