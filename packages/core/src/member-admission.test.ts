import type { Node, Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { createTestMember, joined, running, type TestMember, untilReady, userPod } from './test-member.js';

const onNode = { nodeName: 'node' };
const cpu = (amount: string) => ({ container: { resources: { requests: { cpu: amount } } } });

async function refusal(member: TestMember, name: string): Promise<string[]> {
  await member.clock.until(() => member.pod(name)?.status?.phase === 'Failed', 10_000);
  const { reason = '', message = '' } = member.pod(name)?.status ?? {};
  expect(running(member)).not.toContain(name);
  return [reason, message];
}

describe('a pod that was bound without the scheduler', () => {
  const taints = [{ key: 'owner', value: 'us', effect: 'NoExecute' }];

  it.each([
    [
      'requests more CPU than the node has',
      cpu('5'),
      'OutOfcpu',
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000",
    ],
    [
      'selects another node',
      { nodeSelector: { disk: 'ssd' } },
      'NodeAffinity',
      "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'requires another operating system',
      { os: { name: 'windows' } },
      'PodOSNotSupported',
      expect.stringContaining("Failed to admit pod as the OS field doesn't match node OS"),
    ],
    [
      'sets a sysctl of the node',
      { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
      'SysctlForbidden',
      'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
  ])('and %s is rejected', async (_what, spec, reason, message) => {
    const member = await joined();
    member.server.objects.create(userPod('odd', { ...onNode, ...spec }));
    expect(await refusal(member, 'odd')).toEqual([reason, message]);
    await member.end();
  });

  it('and does not tolerate the taints of the node is rejected, others are not', async () => {
    const member = await joined({ join: { settings: { registerWithTaints: taints } } });
    member.server.objects.create(userPod('odd', onNode));
    const text = "Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
    expect(await refusal(member, 'odd')).toEqual(['TaintToleration', text]);
    member.server.objects.create(userPod('even', { ...onNode, tolerations: [{ operator: 'Exists' }] }));
    await untilReady(member, 'even');
    await member.end();
  });

  it('and exceeds maxPods is rejected until another one has terminated', async () => {
    const member = await joined({ join: { settings: { maxPods: 1 } } });
    const { clock, memory, server } = member;
    memory.script({ pod: 'first' }, { exit: { afterMs: 20_000 } });
    server.objects.create(userPod('first', { ...onNode, restartPolicy: 'Never' }));
    await untilReady(member, 'first');
    server.objects.create(userPod('second', onNode));
    const text = "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1";
    expect(await refusal(member, 'second')).toEqual(['OutOfpods', text]);
    await clock.until(() => member.pod('first')?.status?.phase === 'Succeeded', 60_000);
    server.objects.create(userPod('third', onNode));
    await untilReady(member, 'third');
    await member.end();
  });

  it('and is critical preempts one that is not', async () => {
    const member = await joined();
    const { server } = member;
    server.objects.create(userPod('plain', { ...onNode, ...cpu('3') }));
    await untilReady(member, 'plain');
    server.objects.create(userPod('vital', { ...onNode, ...cpu('2'), priorityClassName: 'system-node-critical', priority: 2_000_001_000 }));
    await untilReady(member, 'vital');
    await member.clock.until(() => member.pod('plain')?.status?.phase !== 'Running', 1_000);
    expect(member.pod('plain')?.status).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
    });
    expect(running(member)).toEqual(['vital']);
    await member.end();
  });

  it('and is critical preempts enough pods, though one waits for a resize', async () => {
    const member = await joined();
    const { server } = member;
    for (const [name, amount] of [
      ['grows', '1'],
      ['plain', '2'],
    ] as const)
      server.objects.create(userPod(name, { ...onNode, ...cpu(amount) }));
    await untilReady(member, 'plain');
    server.objects.update<Pod>(
      'pods',
      'grows',
      ({ spec }) => {
        for (const container of spec?.containers ?? []) container.resources = { requests: { cpu: '3' } };
      },
      { subresource: 'resize' },
    );
    await member.clock.until(
      () => member.pod('grows')?.status?.conditions?.some(({ type }) => type === 'PodResizePending') ?? false,
      10_000,
    );
    server.objects.create(userPod('vital', { ...onNode, ...cpu('4'), priorityClassName: 'system-node-critical', priority: 2_000_001_000 }));
    await untilReady(member, 'vital');
    expect(running(member)).toEqual(['vital']);
    await member.end();
  });

  it('and is critical preempts a running pod, not one that was deleted before its admission', async () => {
    const first = await joined();
    const { clock, server, memory, files, podDirs } = first;
    server.objects.create(userPod('plain', { ...onNode, ...cpu('3') }));
    await untilReady(first, 'plain');
    await first.agent.stop();
    server.objects.create(userPod('deleted', { ...onNode, ...cpu('2') }));
    server.objects.delete('pods', 'deleted');
    expect(first.pod('deleted')?.metadata?.deletionTimestamp).toBeDefined();
    server.objects.create(userPod('vital', { ...onNode, ...cpu('2'), priorityClassName: 'system-node-critical', priority: 2_000_001_000 }));
    const second = await createTestMember({ clock, server, agent: { memory, files, podDirs } });
    await second.agent.start();
    await untilReady(second, 'vital');
    expect(running(second)).toEqual(['vital']);
    await clock.until(() => second.pod('plain')?.status?.reason === 'Preempting', 1_000);
    await second.end();
  });
});

it("a change of the node's rules does not affect running pods", async () => {
  const member = await joined();
  const { clock, server } = member;
  server.objects.create(userPod('web', { ...onNode, nodeSelector: { 'kubernetes.io/os': 'linux' } }));
  await untilReady(member, 'web');
  server.objects.update<Node>('nodes', 'node', (node) => {
    node.spec = { ...node.spec, taints: [{ key: 'k', effect: 'NoExecute' }] };
  });
  await clock.advance(120_000);
  expect(running(member)).toEqual(['web']);
  await member.end();
});
