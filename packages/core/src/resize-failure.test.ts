import type { Pod } from '@nodeagent/api';
import type { CriMethod } from '@nodeagent/memory-runtime';
import { describe, expect, it } from 'vitest';
import { joined, userPod } from './test-member.js';

const minuteMs = 60_000;
/** With more calls at one instant, time would never proceed. */
const maxCalls = 1_000;

const resources = (memory: string) => ({ requests: { memory }, limits: { memory } });

/** A node with a running pod, on which `method` fails from now on, and then a decrease of the pod's memory limit. */
async function withFailingResize(evented: 'auto' | 'off', method: CriMethod) {
  const member = await joined({ agent: { settings: { evented, resolvConf: '' } } });
  const { clock, server, memory } = member;
  server.objects.create(userPod('p', { container: { resources: resources('64Mi') } }));
  await clock.advance(10_000);
  expect(memory.containers()).toMatchObject([{ state: 'running' }]);
  const calls: number[] = [];
  const fault = memory.fault({
    method,
    times: Number.POSITIVE_INFINITY,
    answer() {
      calls.push(clock.monotonic());
      return calls.length > maxCalls ? new Promise<never>(() => {}) : Promise.reject(new Error('injected fault'));
    },
  });
  const shrink = ({ spec }: Pod) => {
    for (const container of spec?.containers ?? []) container.resources = resources('32Mi');
  };
  server.objects.update<Pod>('pods', 'p', shrink, { subresource: 'resize' });
  return { ...member, fault, calls };
}

describe.each(['auto', 'off'] as const)('with container events %s', (evented) => {
  it.each(['containerStats', 'updateContainerResources'] as const)('retries a resize whose %s fails after its back-off', async (method) => {
    const { clock, calls, fault, memory, pod, agent } = await withFailingResize(evented, method);
    await clock.advance(10 * minuteMs);
    expect(calls.length).toBeGreaterThan(40);
    expect(calls.length).toBeLessThanOrEqual(61);
    // The allocated resize and the update that requests it cause a sync each.
    const gaps = calls.slice(2).map((at, index) => at - (calls[index + 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(16_000);
    expect(pod('p')?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodResizeInProgress', reason: 'Error', message: expect.stringContaining('injected fault') }),
    );

    fault.remove();
    await clock.advance(20_000);
    expect(memory.containers()).toMatchObject([{ state: 'running' }]);
    expect(pod('p')?.status?.containerStatuses?.[0]?.resources?.limits).toEqual({ memory: '32Mi' });
    expect(pod('p')?.status?.conditions?.some(({ type }) => type === 'PodResizeInProgress')).toBe(false);
    await agent.stop();
  });
});
