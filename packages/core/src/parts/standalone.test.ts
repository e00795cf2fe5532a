import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { noEvents, noMetrics, type Pod, type PodSpec, silentLogger, systemClock } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { machineHost } from '../machine/machine-host.js';
import { createTestAgent, type TestAgent, type TestAgentOptions } from '../test-agent.js';
import { testComponents } from '../test-components.js';
import { standalone as createStandalone } from './standalone.js';

const pod = (name: string, spec: Partial<PodSpec> = {}): Pod => {
  const built = buildPod({ name });
  return { ...built, spec: { containers: [], ...built.spec, ...spec } };
};
const requesting = (name: string, cpu: string, spec: Partial<PodSpec> = {}): Pod => {
  const built = buildPod({ name, containers: [{ name: 'main', resources: { requests: { cpu } } }] });
  return { ...built, spec: { containers: [], ...built.spec, ...spec } };
};
const onPort = (name: string, hostPort: number): Pod =>
  buildPod({ name, containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort }] }] });

async function started(pods: readonly Pod[], options: TestAgentOptions = {}): Promise<TestAgent> {
  const node = createTestAgent(pods, options);
  onTestFinished(() => node.agent.stop());
  await node.agent.start();
  return node;
}

async function refusal(node: TestAgent, name: string): Promise<(string | undefined)[]> {
  await node.clock.until(() => node.phase(name) === 'Failed', 10_000);
  expect(node.memory.sandboxes().map((sandbox) => sandbox.pod)).not.toContain(name);
  const { reason, message } = node.status(name) ?? {};
  return [reason, message];
}

/** Pods of a source of this name are not static, and so not critical. */
const plain = { sourceName: 'api' };
const affinity = "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";

describe('an agent without a cluster', () => {
  it.each<[string, Pod, string, string]>([
    [
      'requests more than there is',
      requesting('odd', '1000'),
      'OutOfcpu',
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000, used: 0, capacity: 4000",
    ],
    ['selects another node', pod('odd', { nodeSelector: { 'kubernetes.io/hostname': 'other' } }), 'NodeAffinity', affinity],
    [
      'names another node',
      pod('odd', { nodeName: 'other' }),
      'NodeName',
      "Pod was rejected: Predicate NodeName failed: node(s) didn't match the requested node name",
    ],
    [
      'needs another operating system',
      pod('odd', { os: { name: 'windows' } }),
      'PodOSNotSupported',
      "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS",
    ],
    [
      'sets a sysctl of the node',
      pod('odd', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }),
      'SysctlForbidden',
      'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
  ])('rejects a pod that %s', async (_what, odd, reason, message) => {
    const node = await started([odd, pod('even', { nodeSelector: { 'kubernetes.io/os': 'linux' } })], plain);
    expect(await refusal(node, 'odd')).toEqual([reason, message]);
    await node.untilReady('even');
  });

  it('rejects a pod whose host port is in use, also a static one', async () => {
    const node = await started([onPort('first', 8080), onPort('second', 8080), onPort('third', 8081)]);
    await node.untilReady('first');
    await node.untilReady('third');
    expect(await refusal(node, 'second')).toEqual([
      'NodePorts',
      "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ]);
  });

  it('rejects a static pod that cannot preempt another one', async () => {
    const node = await started([requesting('odd', '1000')]);
    const text =
      'preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 996000), ]';
    expect(await refusal(node, 'odd')).toEqual([
      'UnexpectedAdmissionError',
      `Pod was rejected: Unexpected error while attempting to recover from admission failure: ${text}`,
    ]);
  });

  it('preempts others for a critical pod', async () => {
    const [ordinary, critical] = [createManualSource([requesting('plain', '3')], { name: 'api' }), createManualSource([])];
    const node = await started([], { sources: [ordinary, critical] });
    await node.untilReady('plain');
    critical.set([requesting('vital', '2')]);
    await node.untilReady('vital');
    expect(node.status('plain')).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
    });
  });

  it('has the labels, the capacity and the sysctls of its options', async () => {
    const sysctls = [{ name: 'kernel.msgmax', value: '1' }];
    const fitting = pod('fitting', { nodeSelector: { disk: 'ssd', 'kubernetes.io/hostname': 'host-1' }, securityContext: { sysctls } });
    const node = await started([fitting, pod('second')], {
      ...plain,
      node: { nodeLabels: { disk: 'ssd' }, hostname: 'host-1', maxPods: 1, allowedUnsafeSysctls: ['kernel.msg*'] },
    });
    await node.untilReady('fitting');
    expect(await refusal(node, 'second')).toEqual([
      'OutOfpods',
      "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1",
    ]);
  });

  it('subtracts reservations, and does not start if they exceed the capacity', async () => {
    const node = await started([requesting('odd', '3')], { ...plain, node: { systemReserved: { cpu: '1500m' } } });
    expect((await refusal(node, 'odd'))[1]).toContain('requested: 3000, used: 0, capacity: 2500');
    const refused = createTestAgent([], { node: { kubeReserved: { cpu: '5' } } });
    await expect(refused.agent.start()).rejects.toMatchObject({ code: 'InvalidNodeAllocatable' });
    await refused.agent.stop();
  });
});

it("reads the CPUs, memory and root directory's file system of this machine", async () => {
  const rootDir = mkdtempSync(join(tmpdir(), 'standalone-node-'));
  onTestFinished(() => rmSync(rootDir, { recursive: true }));
  const node = createStandalone(
    testComponents({
      agent: { nodeName: 'node' },
      host: machineHost({ rootDir: join(rootDir, 'missing'), cri: createMemoryRuntime({ clock: createVirtualClock() }) }),
      eviction: undefined,
      devices: undefined,
      monitor: { health: () => undefined },
      common: { clock: systemClock, recorder: noEvents, logger: silentLogger, metrics: noMetrics },
    }),
  );
  expect(node?.allocatable()).toBeUndefined();
  await node?.load();
  const { cpu = '', pods, ...rest } = node?.allocatable() ?? {};
  expect([Number(Quantity.parse(cpu).value()), pods]).toEqual([cpus().length, '110']);
  const { blocks, bsize } = statfsSync(rootDir, { bigint: true });
  expect(Quantity.parse(rest['ephemeral-storage'] ?? '0').value()).toBe(blocks * bsize);
});
