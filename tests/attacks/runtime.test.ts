import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pod, silentLogger } from '@nodeagent/api';
import { createLogRotator } from '@nodeagent/container-logs';
import { nodeLogFiles } from '@nodeagent/container-logs/node';
import type { Container, ContainerStatus, PodSandbox } from '@nodeagent/cri-api';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { createRuntimeManager } from '@nodeagent/runtime-manager';
import { nodeFiles } from '@nodeagent/runtime-manager/node';
import { createTestCluster } from '@nodeagent/test-cluster';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const podNamed = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'nginx:1' }] },
});

/** A folder of logs beside one of the host. */
function folders() {
  const root = mkdtempSync(join(tmpdir(), 'attack-'));
  onTestFinished(() => void execFileSync('rm', ['-rf', root]));
  const [pods, containers, host] = ['pods', 'containers', 'host'].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [pods, containers, host]) mkdirSync(folder);
  writeFileSync(join(host, 'shadow'), Buffer.alloc(100_000));
  mkdirSync(join(host, 'etc'));
  writeFileSync(join(host, 'etc', 'passwd'), 'root');
  return { root, pods, containers, host };
}

describe('a runtime that reports as the log of a container', () => {
  it.each([
    ['a folder of the host', (host: string) => `${host}/`],
    ['a file of the host', (host: string) => `${host}/shadow`],
    ['a path that leads out of the folder of logs', (host: string, pods: string) => `${pods}/../${host.slice(host.lastIndexOf('/') + 1)}/`],
  ])('%s deletes nothing there when the container is removed', async (_, logPathOf) => {
    const { root, pods, containers, host } = folders();
    const clock = createVirtualClock();
    const memory = createMemoryRuntime({ clock, images: 'any' });
    memory.script('main', { exit: { code: 1 } });
    const manager = createRuntimeManager({
      cri: memory.runtime,
      imageService: memory.image,
      images: { ensureImageExists: async ({ image }) => ({ imageRef: image }) },
      clock,
      logger: silentLogger,
      files: nodeFiles,
      podLogsDir: pods,
      legacyLogsDir: containers,
      podDir: (uid) => join(root, uid),
      environment: async () => ({}),
      dns: () => ({ servers: [], searches: [], options: [] }),
    });
    const pod = buildPod({ name: 'web', containers: [{ name: 'main' }] });
    const identity = { uid: pod.metadata?.uid ?? '', name: 'web', namespace: pod.metadata?.namespace ?? '' };
    await manager.syncPod(pod, await manager.getPodStatus({ ...identity, containers: [], sandboxes: [] }));
    await clock.advance(1_000);
    const [{ id } = { id: '' }] = memory.containers('main');
    memory.fault({
      method: 'containerStatus',
      times: Number.POSITIVE_INFINITY,
      async answer(_request, proceed) {
        const { status, ...answer } = await proceed();
        const labels = { ...status?.labels, 'io.kubernetes.pod.name': '../../host/shadow' };
        return { ...answer, ...(status && { status: { ...status, labels, logPath: logPathOf(host, pods) } }) };
      },
    });
    await manager.deleteContainer(id);
    expect(memory.containers('main')).toEqual([]);
    expect([readdirSync(host).sort(), readdirSync(join(host, 'etc'))]).toEqual([['etc', 'shadow'], ['passwd']]);
  });

  it('a large file of the host does not have it rotated', async () => {
    const { pods, host } = folders();
    const answer = { status: { state: 'CONTAINER_RUNNING', logPath: join(host, 'shadow') } as ContainerStatus, info: {} };
    let reopened = 0;
    const rotator = createLogRotator({
      files: nodeLogFiles,
      cri: {
        containerStatus: async () => answer,
        reopenContainerLog: async () => {
          reopened++;
          return {};
        },
      },
      podLogsDir: pods,
      runningContainers: () => ['id'],
      settings: { containerLogMaxSize: '1k' },
    });
    await rotator.rotateLogs();
    expect([readdirSync(host).sort(), reopened]).toEqual([['etc', 'shadow'], 0]);
  });
});

describe('a runtime that lists', () => {
  const forever = { times: Number.POSITIVE_INFINITY };
  const changesContainers = (change: (container: Container, index: number) => Partial<Container>) => (runtime: MemoryRuntime) => {
    runtime.fault({
      ...forever,
      method: 'listContainers',
      answer: async (_, proceed) => ({ containers: (await proceed()).containers.map((each, at) => ({ ...each, ...change(each, at) })) }),
    });
  };
  const changesSandboxes = (change: (sandbox: PodSandbox, index: number) => Partial<PodSandbox>) => (runtime: MemoryRuntime) => {
    runtime.fault({
      ...forever,
      method: 'listPodSandbox',
      answer: async (_, proceed) => ({ items: (await proceed()).items.map((each, at) => ({ ...each, ...change(each, at) })) }),
    });
  };
  const changesStatuses = (change: (status: ContainerStatus) => Partial<ContainerStatus>) => (runtime: MemoryRuntime) => {
    runtime.fault({
      ...forever,
      method: 'containerStatus',
      async answer(_, proceed) {
        const { status, ...answer } = await proceed();
        return { ...answer, ...(status && { status: { ...status, ...change(status) } }) };
      },
    });
  };
  const states = ['CONTAINER_CREATED', 'CONTAINER_RUNNING', 'CONTAINER_EXITED', 'CONTAINER_UNKNOWN'] as const;
  let turn = 0;

  it.each<[what: string, attack: (runtime: MemoryRuntime) => void]>([
    ['containers of unknown sandboxes', changesContainers(() => ({ podSandboxId: 'unknown' }))],
    ['containers without labels', changesContainers(() => ({ labels: {}, annotations: {} }))],
    [
      'containers whose labels lead out of folders',
      changesContainers(({ labels }) => ({ labels: { ...labels, 'io.kubernetes.pod.uid': '../../../etc' } })),
    ],
    ['containers that were created in the far future', changesContainers(() => ({ createdAt: 2n ** 63n - 1n }))],
    ['containers that were created before 1970', changesContainers(() => ({ createdAt: -(2n ** 63n) }))],
    ['containers whose states go back', changesContainers(() => ({ state: states[turn++ % 4] ?? 'CONTAINER_UNKNOWN' }))],
    [
      'sandboxes of one attempt and time',
      changesSandboxes(({ metadata }) => ({ createdAt: 0n, ...(metadata && { metadata: { ...metadata, attempt: 0 } }) })),
    ],
    [
      'sandboxes whose UIDs lead out of folders',
      changesSandboxes(({ metadata }) => (metadata ? { metadata: { ...metadata, uid: '../../../etc' } } : {})),
    ],
    [
      'exit codes and times out of range',
      changesStatuses(() => ({ exitCode: 2 ** 31 - 1, startedAt: 2n ** 63n - 1n, finishedAt: -(2n ** 63n) })),
    ],
    ['no images, and log paths of the host', changesStatuses(() => ({ imageRef: '', imageId: '', logPath: '/etc/passwd', mounts: [] }))],
    ['statuses of other containers', changesStatuses(() => ({ id: 'other', labels: {}, annotations: {} }))],
  ])('%s gets a bounded number of calls, and the agent follows it when it recovers', async (_, attack) => {
    const cluster = await createTestCluster({ nodes: [{ runtime: { recordCalls: 1_000_000 } }] });
    onTestFinished(async () => void (await cluster.stop()));
    const { runtime } = cluster.node('node-1');
    const isRunning = (name: string) => cluster.pod(name)?.status?.phase === 'Running';
    cluster.apply(podNamed('before'));
    await cluster.until(() => isRunning('before'));
    attack(runtime);
    const calls = runtime.calls.length;
    await cluster.advance('1m');
    expect(runtime.calls.length - calls).toBeLessThan(300);
    runtime.clearFaults();
    cluster.apply(podNamed('after'));
    await cluster.until(() => isRunning('after') && isRunning('before'), '7m');
    expect(cluster.node('node-1').condition('Ready')).toBe('True');
  });
});
