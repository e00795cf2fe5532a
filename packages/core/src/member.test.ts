import { isPodReady } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { createTestMember, type TestMember, type TestMemberOptions } from './test-member.js';

export async function joined(options: TestMemberOptions = {}): Promise<TestMember> {
  const member = await createTestMember(options);
  await member.agent.start();
  await member.clock.until(
    () => member.node()?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    30_000,
  );
  return member;
}

const webPod = (name: string, spec: Record<string, unknown> = {}, metadata: Record<string, unknown> = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { containers: [{ name: 'main', image: 'nginx:1', ...(spec.container as object) }], ...spec, container: undefined },
});

describe('a node that joins', () => {
  it('is registered, gets ready and takes the pod that the scheduler binds to it', async () => {
    const member = await joined();
    const { clock, server } = member;
    expect(member.node()).toMatchObject({
      metadata: { labels: { 'kubernetes.io/hostname': 'node', 'kubernetes.io/os': 'linux' } },
      status: {
        addresses: [
          { type: 'InternalIP', address: '192.0.2.1' },
          { type: 'Hostname', address: 'node' },
        ],
        capacity: { cpu: '4', memory: '8Gi', pods: '110' },
        nodeInfo: { containerRuntimeVersion: 'memory://1.0.0' },
      },
    });
    expect(clock.monotonic()).toBeLessThan(2_000);
    server.objects.create(webPod('web'));
    await clock.until(() => isPodReady(member.pod('web') ?? {}), 30_000);
    expect(member.pod('web')).toMatchObject({
      spec: { nodeName: 'node' },
      status: { phase: 'Running', hostIP: '192.0.2.1', podIP: '10.88.0.2' },
    });
    expect(member.agent.clusterError()).toBeUndefined();
    expect(await member.end()).toBe(0);
  });
});
