import type { Pod, PodSource, ResourceList } from '@nodeagent/api';
import { podUid, Quantity } from '@nodeagent/api/helpers';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestAgent } from './test-agent.js';
import { joined, type TestMember, userPod } from './test-member.js';

const resources = (cpu: string) => ({ requests: { cpu, memory: '32Mi' }, limits: { cpu, memory: '64Mi' } });

const isSame = (a: ResourceList = {}, b: ResourceList = {}) =>
  Object.entries(a).every(([name, amount]) => Quantity.parse(amount).equals(Quantity.parse(b[name] ?? '0')));

/** Whether the status reports the newest generation as observed and no resize as pending or in progress. */
const claimsAll = ({ metadata, status }: Pod): boolean =>
  (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0) &&
  !status?.conditions?.some(({ type }) => /^PodResize(Pending|InProgress)$/.test(type));

/** Containers that run with other resources than those of the spec. */
const outdated = ({ spec, status }: Pod) =>
  (status?.containerStatuses ?? []).filter(({ name, state, resources: applied }) => {
    const wanted = spec?.containers.find((container) => container.name === name)?.resources;
    return state?.running !== undefined && !(isSame(wanted?.requests, applied?.requests) && isSame(wanted?.limits, applied?.limits));
  });

/** A node whose runtime takes its time, and each status of a pod that reaches the API server. */
async function slowMember(evented: 'auto' | 'off', callMs: number): Promise<{ member: TestMember; written: Pod[] }> {
  const written: Pod[] = [];
  const member = await joined({
    agent: { settings: { evented, resolvConf: '' } },
    serverOptions: {
      audit: ({ objectRef, responseObject, responseStatus }) => {
        if (objectRef.resource === 'pods' && objectRef.subresource === 'status' && responseStatus.code === 200)
          written.push(responseObject as Pod);
      },
    },
  });
  // As on a real runtime, where a collection takes about as long as the start of a pod.
  member.memory.fault({ method: 'removePodSandbox', delayMs: 10 * callMs, times: Number.POSITIVE_INFINITY });
  member.memory.fault({ method: '*', delayMs: callMs, times: Number.POSITIVE_INFINITY });
  return { member, written };
}

const resize = ({ server }: TestMember, name: string, cpu: string) =>
  server.objects.update<Pod>(
    'pods',
    name,
    ({ spec }) => {
      for (const container of spec?.containers ?? []) container.resources = resources(cpu);
    },
    { subresource: 'resize' },
  );

describe.each(['auto', 'off'] as const)('a resize at any time of a pod start, container events %s', (evented) => {
  it('is in progress, pending or applied in each status that claims it, while other pods end and are collected', async () => {
    const { member, written } = await slowMember(evented, 40);
    const { clock, server } = member;
    const stepMs = 90;
    const pods = 24;
    for (let index = 0; index < pods; index++) {
      server.objects.create(userPod(`p${index}`, { container: { resources: resources('10m') }, terminationGracePeriodSeconds: 0 }));
      clock.setTimeout(() => resize(member, `p${index}`, '20m'), index * stepMs);
      // Dead containers and sandboxes of some pods are collected while others start.
      clock.setTimeout(() => server.objects.delete('pods', `p${index}`, { gracePeriodSeconds: 0 }), 6_000);
      await clock.advance(700);
    }
    await clock.advance(8_000);

    const wrong = written.filter(claimsAll).flatMap(outdated);
    expect(wrong.map(({ name, resources: applied }) => [name, applied])).toEqual([]);
    const isResized = (pod: Pod) => claimsAll(pod) && pod.status?.containerStatuses?.some((each) => each.resources?.limits?.cpu === '20m');
    expect(new Set(written.filter(isResized).map(podUid)).size).toBe(pods);
    await member.end();
  });
});

it('does not claim an undecided resize while another source has not delivered its pods', async () => {
  const api: PodSource = { name: 'api', start: async () => {}, stop: async () => {}, onPods: undefined };
  const late: PodSource = { name: 'http', start: async () => {}, stop: async () => {}, onPods: undefined };
  const { agent, clock, memory, status } = createTestAgent([], { sources: [api, late] });
  const pod = (generation: number, cpu: string) =>
    buildPod({ name: 'web', metadata: { generation }, containers: [{ name: 'main', resources: resources(cpu) }] });
  await agent.start();
  api.onPods?.([pod(1, '10m')]);
  await clock.advance(5_000);
  expect(memory.containers('main')).toMatchObject([{ state: 'running' }]);
  api.onPods?.([pod(2, '20m')]);
  await clock.advance(5_000);
  expect(status('web')).toMatchObject({ observedGeneration: 1, containerStatuses: [{ resources: { limits: { cpu: '10m' } } }] });

  late.onPods?.([]);
  await clock.advance(40_000);
  expect(status('web')).toMatchObject({ observedGeneration: 2, containerStatuses: [{ resources: { limits: { cpu: '20m' } } }] });
  await agent.stop();
});
