import type { Pod, PodAdmitHandler } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent } from './test-agent.js';

const named = (name: string) => buildPod({ name });
const refuse = (...names: string[]): PodAdmitHandler => ({
  admit: ({ pod }) =>
    names.includes(pod.metadata?.name ?? '') ? { admit: false, reason: 'OutOfpods', message: 'no room' } : { admit: true },
});

describe('a pod that is not admitted', () => {
  it('fails with the reason, and starts no container', async () => {
    const node = createTestAgent([named('big'), named('web')], { admitHandlers: [refuse('big')] });
    await node.agent.start();
    await node.untilReady('web');
    await node.clock.advance(120_000);
    expect(node.status('big')).toMatchObject({
      observedGeneration: 1,
      phase: 'Failed',
      reason: 'OutOfpods',
      message: 'Pod was rejected: no room',
      qosClass: 'BestEffort',
      startTime: expect.any(String),
    });
    expect(node.eventLines('big')).toEqual(['Warning OutOfpods no room']);
    expect(node.memory.sandboxes().map(({ pod }) => pod)).toEqual(['web']);
    node.source.set([named('web')]);
    await node.clock.until(() => node.removed.includes('big'));
    await node.agent.stop();
  });

  it('does not count for the admission of other pods', async () => {
    const others: string[][] = [];
    const note: PodAdmitHandler = {
      admit: ({ otherPods }) => {
        others.push(otherPods.map(({ metadata }) => metadata?.name ?? ''));
        return { admit: true };
      },
    };
    const node = createTestAgent([named('big'), named('one'), named('two')], { admitHandlers: [refuse('big'), note] });
    await node.agent.start();
    await node.untilReady('two');
    expect(others).toEqual([[], ['one']]);
    await node.agent.stop();
  });
});

it('does not delay the stop of an agent that is admitting it, and reports no failure', async () => {
  const never: PodAdmitHandler = { admit: () => new Promise(() => {}) };
  const node = createTestAgent([named('web')], { admitHandlers: [never] });
  await node.agent.start();
  await node.clock.advance(5_000);
  await node.agent.stop();
  expect(node.logger.messages('error')).toEqual([]);
});

describe('a resize', () => {
  const withCpu = (name: string, cpu: string, generation = 1): Pod =>
    buildPod({ name, metadata: { generation }, containers: [{ name, resources: { requests: { cpu } } }] });
  const condition = (node: ReturnType<typeof createTestAgent>, name: string) =>
    node.status(name)?.conditions?.find(({ type }) => type === 'PodResizePending');
  const running = async (...pods: Pod[]) => {
    const node = createTestAgent(pods, { sourceName: 'api', nodeAllocatable: () => ({ cpu: '1', memory: '1Gi' }) });
    await node.agent.start();
    for (const { metadata } of pods) await node.untilReady(metadata?.name ?? '');
    node.memory.clearCalls();
    return node;
  };
  const updates = (node: ReturnType<typeof createTestAgent>) =>
    node.memory.calls.filter(({ method }) => method === 'updateContainerResources').length;

  it('is deferred if it does not fit, and allocated after another pod has terminated', async () => {
    const node = await running(withCpu('web', '200m'), withCpu('db', '500m'));
    node.source.set([withCpu('web', '600m', 2), withCpu('db', '500m')]);
    await node.clock.advance(10_000);
    expect(condition(node, 'web')).toMatchObject({
      status: 'True',
      observedGeneration: 2,
      reason: 'Deferred',
      message: "Node didn't have enough resource: cpu, requested: 600, used: 500, capacity: 1000",
    });
    expect(node.status('web')?.containerStatuses?.[0]?.allocatedResources).toEqual({ cpu: '200m' });
    expect(updates(node)).toBe(0);

    node.source.set([withCpu('web', '600m', 2)]);
    await node.clock.advance(10_000);
    expect(condition(node, 'web')).toBeUndefined();
    expect(node.status('web')).toMatchObject({
      allocatedResources: { cpu: '600m' },
      containerStatuses: [{ restartCount: 0, allocatedResources: { cpu: '600m' }, resources: { requests: { cpu: '600m' } } }],
    });
    expect(node.eventLines('web').filter((line) => line.includes('Resize'))).toEqual([
      expect.stringContaining('Warning ResizeDeferred Pod resize Deferred: {'),
      expect.stringContaining('Normal ResizeStarted Pod resize started: {'),
      expect.stringContaining('Normal ResizeCompleted Pod resize completed: {'),
    ]);
    await node.agent.stop();
  });

  it("is rejected above the node's capacity, and the pod keeps running", async () => {
    const node = await running(withCpu('web', '200m'));
    node.source.set([withCpu('web', '5', 2)]);
    await node.clock.advance(10_000);
    expect(condition(node, 'web')).toMatchObject({
      reason: 'Infeasible',
      message: "Node didn't have enough capacity: cpu, requested: 5000, capacity: 1000",
    });
    expect([node.isReady('web'), updates(node)]).toEqual([true, 0]);
    node.source.set([withCpu('web', '200m', 3)]);
    await node.clock.advance(5_000);
    expect(condition(node, 'web')).toBeUndefined();
    await node.agent.stop();
  });

  it('is allocated after another pod has shrunk', async () => {
    const node = await running(withCpu('web', '200m'), withCpu('db', '700m'));
    node.source.set([withCpu('web', '600m', 2), withCpu('db', '300m', 2)]);
    await node.clock.advance(10_000);
    expect(node.status('web')?.allocatedResources).toEqual({ cpu: '600m' });
    expect(node.status('db')?.allocatedResources).toEqual({ cpu: '300m' });
    await node.agent.stop();
  });

  it('is allocated after another pod has completed', async () => {
    const node = await running(withCpu('web', '200m'), { ...withCpu('job', '500m') });
    const once = withCpu('once', '300m');
    node.memory.script('once', { exit: { afterMs: 20_000 } });
    const job: Pod = { ...once, spec: { containers: [], ...once.spec, restartPolicy: 'Never' } };
    node.source.set([withCpu('web', '400m', 2), withCpu('job', '500m'), job]);
    await node.clock.advance(10_000);
    expect(condition(node, 'web')).toMatchObject({ reason: 'Deferred' });
    await node.clock.advance(20_000);
    expect(node.phase('once')).toBe('Succeeded');
    expect(node.status('web')?.allocatedResources).toEqual({ cpu: '400m' });
    await node.agent.stop();
  });
});
