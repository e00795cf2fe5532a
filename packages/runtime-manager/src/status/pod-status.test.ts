import { NodeAgentError, type RuntimeContainer, type RuntimePod } from '@nodeagent/api';
import type { ContainerStatus, PodSandboxStatus } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import type { CriRuntime } from '../cri/methods.js';
import { createMemoryFiles } from '../memory-files.js';
import { type PodStatusSources, readChanges, readPodStatus } from './pod-status.js';

const notFound = new NodeAgentError('CRI_NOT_FOUND', 'no such thing');

const sandbox = (id: string, more: Partial<PodSandboxStatus> = {}): PodSandboxStatus => ({
  id,
  metadata: { name: 'p', namespace: 'ns', uid: 'u', attempt: 1 },
  state: 'SANDBOX_READY',
  createdAt: 1n,
  network: { ip: '10.0.0.7', additionalIps: [{ ip: 'fd00::7' }] },
  labels: {},
  annotations: {},
  runtimeHandler: '',
  ...more,
});
const container = (id: string, createdAt: bigint, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  id,
  state: 'CONTAINER_RUNNING',
  createdAt,
  startedAt: createdAt + 1n,
  finishedAt: 0n,
  exitCode: 0,
  image: { image: 'busybox:1' },
  imageRef: 'ref',
  imageId: '',
  reason: '',
  message: '',
  labels: { 'io.kubernetes.container.name': 'c' },
  annotations: { 'io.kubernetes.container.hash': 'ab', 'io.kubernetes.container.restartCount': '2' },
  mounts: [],
  logPath: '',
  stopSignal: 'RUNTIME_DEFAULT',
  ...more,
});

function read(sandboxes: (PodSandboxStatus | Error)[], containers: (ContainerStatus | Error)[], more: Partial<PodStatusSources> = {}) {
  const take = <T>(items: (T | Error)[]) => {
    const rest = [...items];
    return async () => {
      const item = rest.shift();
      if (item instanceof Error) throw item;
      return { ...(item !== undefined && { status: item }), info: {}, containersStatuses: [], timestamp: 0n };
    };
  };
  const cri = { podSandboxStatus: take(sandboxes), containerStatus: take(containers) } as unknown as CriRuntime;
  const listed = (index: number): RuntimeContainer => ({
    id: `${index}`,
    name: 'c',
    state: 'running',
    createdAt: 0n,
    image: '',
    imageId: '',
    imageRef: '',
    hash: '',
    podSandboxId: 's1',
  });
  const pod: RuntimePod = {
    uid: 'u',
    name: 'p',
    namespace: 'ns',
    sandboxes: sandboxes.map((_, index) => listed(index)),
    containers: containers.map((_, index) => listed(index)),
  };
  return readPodStatus({ cri, files: createMemoryFiles(), actuated: () => undefined, logs: new Map(), ...more }, pod);
}

describe('readPodStatus', () => {
  it('lists the newest container first', async () => {
    const status = await read([sandbox('s1')], [container('old', 1n), container('new', 5n)]);
    expect(status.containerStatuses.map(({ id }) => id)).toEqual(['new', 'old']);
    expect(status.activeContainerStatuses).toHaveLength(2);
    expect(status).toMatchObject({ uid: 'u', name: 'p', namespace: 'ns', ips: ['10.0.0.7', 'fd00::7'] });
  });

  it('reads addresses and active containers only from the first sandbox, if it is ready', async () => {
    const status = await read([sandbox('s0', { state: 'SANDBOX_NOTREADY' }), sandbox('s1')], [container('c', 1n)]);
    expect([status.ips, status.activeContainerStatuses]).toEqual([[], []]);
  });

  it('omits containers and sandboxes that were removed after the listing, and rejects with other errors', async () => {
    const status = await read([notFound], [notFound, container('c', 1n)]);
    expect([status.sandboxStatuses, status.containerStatuses.map(({ id }) => id)]).toEqual([[], ['c']]);
    await expect(read([sandbox('s1')], [new Error('broken')])).rejects.toThrow('broken');
    await expect(read([new Error('broken')], [])).rejects.toThrow('broken');
  });

  it('reports the exit of an exited container, and no start of a created one', async () => {
    const exited = container('c', 1n, { state: 'CONTAINER_EXITED', exitCode: 3, reason: 'Error', message: 'm', finishedAt: 9n });
    const { containerStatuses } = await read([sandbox('s1')], [exited, container('d', 0n, { state: 'CONTAINER_CREATED', exitCode: 3 })]);
    expect(containerStatuses).toMatchObject([
      { state: 'exited', exitCode: 3, reason: 'Error', message: 'm', startedAt: 2n, finishedAt: 9n, restartCount: 2, hash: 'ab' },
      { state: 'created', exitCode: 0, reason: '', imageId: 'ref' },
    ]);
    expect(containerStatuses[1]).not.toHaveProperty('startedAt');
  });

  it('reports the resources of the runtime, and those missing in the CRI from the actuated ones', async () => {
    const linux = { cpuShares: 153n, cpuQuota: 25_000n, cpuPeriod: 100_000n, memoryLimitInBytes: 64n };
    const applied = { requests: { cpu: '1', memory: '32' }, limits: { memory: '48' } };
    const of = async (resources: ContainerStatus['resources'], actuated?: typeof applied) => {
      const more = resources ? { resources } : {};
      return (await read([], [container('c', 1n, more)], { actuated: () => actuated })).containerStatuses[0]?.resources;
    };
    expect(await of({ linux })).toEqual({ cpuRequest: 150, cpuLimit: 250, memoryLimit: 64n });
    expect(await of({ linux }, applied)).toEqual({ cpuRequest: 150, cpuLimit: 250, memoryLimit: 64n, memoryRequest: 32n });
    expect(await of(undefined, applied)).toEqual({ cpuRequest: 1000, memoryLimit: 48n, memoryRequest: 32n });
    expect(await of(undefined)).toBeUndefined();
    expect(await of({ linux: { cpuQuota: -1n, cpuPeriod: 100_000n } })).toBeUndefined();
  });

  it('reports a read error as the termination message', async () => {
    const files = { ...createMemoryFiles(), readTail: async () => Promise.reject(new Error('I/O error')) };
    const exited = container('c', 1n, {
      state: 'CONTAINER_EXITED',
      mounts: [{ containerPath: '/m', hostPath: '/h' }],
      annotations: { 'io.kubernetes.container.terminationMessagePath': '/m' },
    });
    expect((await read([], [exited], { files })).containerStatuses[0]?.message).toContain('I/O error');
  });
});

describe('readChanges', () => {
  /** A runtime that has these containers and sandboxes, and records what is read. */
  function runtime(sandboxes: PodSandboxStatus[], containers: ContainerStatus[]) {
    const reads: string[] = [];
    const answer = <T extends { id: string }>(items: T[], id = '') => {
      reads.push(id);
      const status = items.find((item) => item.id === id);
      return status ? Promise.resolve({ status }) : Promise.reject(notFound);
    };
    const cri = {
      podSandboxStatus: ({ podSandboxId }: { podSandboxId?: string }) => answer(sandboxes, podSandboxId),
      containerStatus: ({ containerId }: { containerId?: string }) => answer(containers, containerId),
    } as unknown as CriRuntime;
    return { reads, sources: { cri, files: createMemoryFiles(), actuated: () => undefined, logs: new Map() } };
  }
  const known = () => {
    const { sources } = runtime([sandbox('s1')], [container('c1', 1n)]);
    return readChanges(sources, 'u', undefined, [
      { id: 's1', podSandboxId: 's1' },
      { id: 'c1', podSandboxId: 's1' },
    ]);
  };

  it('reads a pod that is not known, with its identity', async () => {
    expect(await known()).toMatchObject({
      uid: 'u',
      name: 'p',
      namespace: 'ns',
      ips: ['10.0.0.7', 'fd00::7'],
      sandboxStatuses: [{ id: 's1', state: 'ready' }],
      containerStatuses: [{ id: 'c1', podSandboxId: 's1' }],
      activeContainerStatuses: [{ id: 'c1' }],
    });
  });

  it('reads only the changed container, newest first', async () => {
    const { sources, reads } = runtime([sandbox('s1')], [container('c1', 1n), container('c2', 2n)]);
    const status = await readChanges(sources, 'u', await known(), [{ id: 'c2', podSandboxId: 's1' }]);
    expect(reads).toEqual(['c2']);
    expect(status.containerStatuses.map(({ id }) => id)).toEqual(['c2', 'c1']);
    expect(status.ips).toEqual(['10.0.0.7', 'fd00::7']);
  });

  it('has neither addresses nor active containers once the sandbox has stopped', async () => {
    const { sources } = runtime([sandbox('s1', { state: 'SANDBOX_NOTREADY' })], []);
    const status = await readChanges(sources, 'u', await known(), [{ id: 's1', podSandboxId: 's1' }]);
    expect(status).toMatchObject({ ips: [], activeContainerStatuses: [], containerStatuses: [{ id: 'c1' }] });
  });

  it('leaves out what is removed or not found', async () => {
    const { sources, reads } = runtime([], []);
    const changes = [{ id: 'c1' }, { id: 's2', podSandboxId: 's2' }];
    expect(await readChanges(sources, 'u', await known(), changes)).toMatchObject({
      containerStatuses: [],
      sandboxStatuses: [{ id: 's1' }],
    });
    expect(reads).toEqual(['c1', 's2']);
  });

  it('leaves out the containers of a removed sandbox, and reads nothing', async () => {
    const { sources, reads } = runtime([], []);
    const status = await readChanges(sources, 'u', await known(), [{ id: 's1', removed: true }]);
    expect(status).toMatchObject({ containerStatuses: [], sandboxStatuses: [] });
    expect(reads).toEqual([]);
  });

  it('uses a sandbox that the change brings, with the name of its pod', async () => {
    const { sources, reads } = runtime([], []);
    const [status] = (await known()).sandboxStatuses;
    if (!status) throw new Error('no sandbox');
    const sandbox = { uid: 'u', name: 'p', namespace: 'ns', status };
    expect(await readChanges(sources, 'u', undefined, [{ id: 's1', podSandboxId: 's1', sandbox }])).toMatchObject({
      ...{ uid: 'u', name: 'p', namespace: 'ns' },
      ips: ['10.0.0.7', 'fd00::7'],
      sandboxStatuses: [{ id: 's1', state: 'ready' }],
    });
    expect(reads).toEqual([]);
  });

  it('notes where the logs of a container are', async () => {
    const { sources } = runtime([], [container('c1', 1n, { logPath: '/logs/c/0.log' })]);
    await readChanges(sources, 'u', undefined, [{ id: 'c1', podSandboxId: 's1' }]);
    expect(sources.logs.get('c1')).toMatchObject({ path: '/logs/c/0.log' });
  });

  it('rejects with other errors', async () => {
    const { sources } = runtime([], []);
    sources.cri.containerStatus = () => Promise.reject(new NodeAgentError('CRI_UNAVAILABLE', 'unavailable'));
    await expect(readChanges(sources, 'u', await known(), [{ id: 'c1' }])).rejects.toThrow('unavailable');
  });
});
