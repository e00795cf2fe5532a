import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import type { ContainerConfig, ContainerEventResponse, PodSandboxConfig } from '@nodeagent/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostImageId } from './host-image.js';
import { createProcessRuntime } from './process-runtime.js';
import { primaryAddress } from './sandboxes.js';
import { collect, type Harness, startHarness } from './test-harness.js';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.clean());

const podConfig = (name: string, more: PodSandboxConfig = {}): PodSandboxConfig => ({
  metadata: { name, namespace: 'ns', uid: name, attempt: 0 },
  logDirectory: join(harness.folder, 'logs', name),
  ...more,
});

describe('options', () => {
  it.each([
    ['root', { root: 'relative' }],
    ['root', { root: '/' }],
    ['leftoverGraceMs', { root: '/x', leftoverGraceMs: -1 }],
  ])('rejects an invalid %s', (field, options) => {
    expect(() => createProcessRuntime({ clock: systemClock, ...options })).toThrow(
      expect.objectContaining({ code: 'InvalidOption', details: { field } }),
    );
  });

  it('rejects calls before the start', async () => {
    const root = join(harness.folder, 'other');
    const { runtime, image, stop } = createProcessRuntime({ root, clock: systemClock });
    expect(existsSync(root)).toBe(false);
    expect((await runtime.status({})).status?.conditions).toMatchObject([
      { type: 'RuntimeReady', status: false, reason: 'NotStarted' },
      { type: 'NetworkReady', status: false },
    ]);
    await expect(runtime.listContainers({})).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION', retryable: true });
    await expect(collect(runtime.getContainerEvents({}))).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    expect((await image.imageStatus({ image: { image: 'host' } })).image?.id).toBe(hostImageId);
    await expect(image.imageFsInfo({})).rejects.toMatchObject({ code: 'CRI_UNKNOWN' });
    await stop();
  });

  it('stops when the signal of its start aborts', async () => {
    const controller = new AbortController();
    const runtime = createProcessRuntime({ root: join(harness.folder, 'other'), clock: systemClock });
    await runtime.start(controller.signal);
    expect((await runtime.runtime.listContainers({})).containers).toEqual([]);
    controller.abort();
    await runtime.stop();
    await expect(runtime.runtime.listContainers({})).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    await expect(runtime.start(controller.signal)).rejects.toThrow();
  });
});

describe('the runtime', () => {
  it('reports its name, version and conditions', async () => {
    expect(await harness.runtime.version({ version: '0.1.0' })).toEqual({
      version: '0.1.0',
      runtimeName: 'nodeagent-process',
      runtimeVersion: JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version,
      runtimeApiVersion: 'v1',
    });
    expect((await harness.runtime.status({})).status?.conditions.map(({ status }) => status)).toEqual([true, true]);
    expect(await harness.runtime.runtimeConfig({})).toEqual({ linux: { cgroupDriver: 'CGROUPFS' } });
    expect(await harness.runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: '10.0.0.0/24' } } })).toEqual({});
  });

  it('rejects features that plain processes do not have', async () => {
    const { runtime } = harness;
    for (const call of [runtime.checkpointContainer({}), runtime.listPodSandboxStats({}), collect(runtime.streamPodSandboxStats({}))]) {
      await expect(call).rejects.toMatchObject({ code: 'CRI_UNIMPLEMENTED' });
    }
  });
});

describe('sandboxes', () => {
  it('have a status in which a kubelet finds no changes', async () => {
    const config = podConfig('q', {
      labels: { a: 'b' },
      annotations: { c: 'd' },
      linux: { securityContext: { namespaceOptions: { network: 'NODE', pid: 'CONTAINER' } } },
    });
    const { podSandboxId } = await harness.runtime.runPodSandbox({ config });
    expect(podSandboxId).toMatch(/^[0-9a-f]{64}$/);
    const { status } = await harness.runtime.podSandboxStatus({ podSandboxId });
    expect(status).toMatchObject({
      id: podSandboxId,
      metadata: config.metadata,
      state: 'SANDBOX_READY',
      network: { ip: '192.0.2.1', additionalIps: [] },
      linux: { namespaces: { options: { network: 'NODE', pid: 'CONTAINER', ipc: 'POD' } } },
      labels: { a: 'b' },
      annotations: { c: 'd' },
      runtimeHandler: '',
    });
    const plain = await harness.runtime.podSandboxStatus({ podSandboxId: harness.sandbox });
    expect(plain.status?.linux?.namespaces?.options?.network).toBe('POD');
  });

  it('have the IP address of the machine', () => {
    expect(isIP(primaryAddress())).not.toBe(0);
  });

  it('stop their containers, and reject new ones', async () => {
    const created = await harness.create(['true']);
    const running = await harness.run(['sleep', '1000']);
    await harness.runtime.stopPodSandbox({ podSandboxId: harness.sandbox });
    await harness.runtime.stopPodSandbox({ podSandboxId: harness.sandbox });
    expect(await harness.status(running)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 137 });
    expect((await harness.runtime.podSandboxStatus({ podSandboxId: harness.sandbox })).status?.state).toBe('SANDBOX_NOTREADY');
    await expect(harness.create(['true'])).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    await expect(harness.runtime.startContainer({ containerId: created })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
  });

  it('are removed with their containers, also by a repeated call', async () => {
    await harness.run(['sleep', '1000']);
    await harness.create(['true']);
    await harness.runtime.removePodSandbox({ podSandboxId: harness.sandbox });
    await harness.runtime.removePodSandbox({ podSandboxId: harness.sandbox });
    await harness.runtime.stopPodSandbox({ podSandboxId: harness.sandbox });
    expect((await harness.runtime.listContainers({})).containers).toEqual([]);
    expect((await harness.runtime.listPodSandbox({})).items).toEqual([]);
    await expect(harness.runtime.podSandboxStatus({ podSandboxId: harness.sandbox })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
  });

  it.each([
    ['CRI_INVALID_ARGUMENT', { config: {} }],
    ['CRI_INVALID_ARGUMENT', { config: { metadata: { name: 'x', namespace: '', uid: '', attempt: 0 }, logDirectory: '/a/../b' } }],
    ['CRI_INVALID_ARGUMENT', { config: { metadata: { name: 'x', namespace: '', uid: '', attempt: 0 }, logDirectory: 'a' } }],
    ['CRI_INVALID_ARGUMENT', { runtimeHandler: 'gvisor', config: {} }],
    ['CRI_ALREADY_EXISTS', { config: { metadata: { name: 'p', namespace: 'ns', uid: 'u', attempt: 0 } } }],
  ])('%s for %j', async (code, request) => {
    await expect(harness.runtime.runPodSandbox(request)).rejects.toMatchObject({ code });
  });
});

describe('lists', () => {
  it('filter by id, state, sandbox and labels', async () => {
    const { runtime } = harness;
    const other = (await runtime.runPodSandbox({ config: podConfig('q', { labels: { pod: 'q' } }) })).podSandboxId;
    await runtime.stopPodSandbox({ podSandboxId: other });
    const running = await harness.run(['sleep', '1000'], { labels: { app: 'a', tier: 'x' } });
    const created = await harness.create(['true'], { labels: { app: 'a' } });
    const ids = async (filter: Parameters<typeof runtime.listContainers>[0]['filter']) =>
      (await runtime.listContainers({ filter })).containers.map(({ id }) => id);
    expect(await ids({})).toEqual([running, created]);
    expect(await ids({ id: created })).toEqual([created]);
    expect(await ids({ id: created.slice(0, 12) })).toEqual([created]);
    expect(await ids({ state: { state: 'CONTAINER_RUNNING' } })).toEqual([running]);
    expect(await ids({ state: {} })).toEqual([created]);
    expect(await ids({ podSandboxId: other })).toEqual([]);
    expect(await ids({ labelSelector: { app: 'a' } })).toEqual([running, created]);
    expect(await ids({ labelSelector: { app: 'a', tier: 'x' } })).toEqual([running]);
    const pods = async (filter: Parameters<typeof runtime.listPodSandbox>[0]['filter']) =>
      (await runtime.listPodSandbox({ filter })).items.map(({ id }) => id);
    expect(await pods({})).toEqual([harness.sandbox, other]);
    expect(await pods({ state: { state: 'SANDBOX_NOTREADY' } })).toEqual([other]);
    expect(await pods({ state: {}, id: harness.sandbox })).toEqual([harness.sandbox]);
    expect(await pods({ labelSelector: { pod: 'q' } })).toEqual([other]);
    expect(await collect(runtime.streamContainers({}))).toEqual([await runtime.listContainers({})]);
    expect((await collect(runtime.streamPodSandboxes({})))[0]?.podSandboxes).toHaveLength(2);
  });
});

describe('containers', () => {
  it('have a status with the fields of their config', async () => {
    const config: ContainerConfig = {
      metadata: { name: 'c', attempt: 2 },
      image: { image: hostImageId, userSpecifiedImage: 'host:1' },
      mounts: [{ containerPath: '/etc/hosts', hostPath: '/x' }],
      labels: { a: 'b' },
      annotations: { c: 'd' },
      linux: { resources: { cpuShares: 2n, memoryLimitInBytes: 100n } },
    };
    const id = await harness.create(['true'], config);
    expect(await harness.status(id)).toMatchObject({
      id,
      metadata: config.metadata,
      state: 'CONTAINER_CREATED',
      startedAt: 0n,
      finishedAt: 0n,
      exitCode: 0,
      image: { image: 'host:1' },
      imageRef: hostImageId,
      imageId: hostImageId,
      reason: '',
      mounts: config.mounts,
      labels: { a: 'b' },
      annotations: { c: 'd' },
      resources: { linux: { cpuShares: 2n, memoryLimitInBytes: 100n } },
      user: { linux: { uid: BigInt(process.getuid?.() ?? 0), gid: BigInt(process.getgid?.() ?? 0), supplementalGroups: [] } },
      stopSignal: 'SIGTERM',
    });
    await harness.runtime.updateContainerResources({ containerId: id, linux: { cpuShares: 5n } });
    expect((await harness.status(id)).resources).toEqual({ linux: { cpuShares: 5n, memoryLimitInBytes: 100n } });
  });

  it.each([
    ['CRI_NOT_FOUND', { image: { image: 'nginx' } }, 'image "nginx" is not available in the embedded runtime'],
    ['CRI_INVALID_ARGUMENT', { command: [] }, 'config.command: container "c" has no command, and the image "host" has no entrypoint'],
    ['CRI_INVALID_ARGUMENT', { command: ['a\0'] }, 'config.command: container "c" has a NUL byte in it'],
    ['CRI_INVALID_ARGUMENT', { workingDir: 'x' }, 'config.working_dir: container "c": "x" is not an absolute path'],
    ['CRI_INVALID_ARGUMENT', { envs: [{ key: 'A=', value: Buffer.from('') }] }, 'config.envs: container "c": "A=" cannot be'],
    [
      'CRI_INVALID_ARGUMENT',
      { envs: [{ key: 'A', value: Buffer.from([0xff]) }] },
      'config.envs: container "c": the value of A is not UTF-8',
    ],
    ['CRI_INVALID_ARGUMENT', { metadata: { name: '', attempt: 0 } }, 'config.metadata.name: must not be empty'],
    [
      'CRI_INVALID_ARGUMENT',
      { linux: { securityContext: { runAsUsername: 'unknown-user' } } },
      'run_as_username: container "c": unable to find',
    ],
  ])('are rejected with %s: %j', async (code, config, message) => {
    const result = harness.create(['true'], { metadata: { name: 'c', attempt: 0 }, ...config });
    await expect(result).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect((await harness.runtime.listContainers({})).containers).toEqual([]);
  });

  it('are unique by name and attempt', async () => {
    const config = { metadata: { name: 'c', attempt: 0 } };
    await harness.create(['true'], config);
    await expect(harness.create(['true'], config)).rejects.toMatchObject({ code: 'CRI_ALREADY_EXISTS' });
    await harness.create(['true'], { metadata: { name: 'c', attempt: 1 } });
  });

  it('report their CPU and memory usage', async () => {
    const id = await harness.run(['sh', '-c', 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; sleep 1000'], {
      labels: { a: 'b' },
    });
    await harness.logged(id, 1);
    const { stats } = await harness.runtime.containerStats({ containerId: id });
    expect(stats?.cpu?.usageCoreNanoSeconds?.value).toBeGreaterThan(0n);
    expect(stats?.memory?.rssBytes?.value).toBeGreaterThan(500_000n);
    expect(stats?.attributes).toMatchObject({ id, labels: { a: 'b' } });
    await harness.create(['true']);
    const listed = await harness.runtime.listContainerStats({ filter: { labelSelector: { a: 'b' } } });
    expect(listed.stats.map(({ attributes }) => attributes?.id)).toEqual([id]);
    expect(await collect(harness.runtime.streamContainerStats({ filter: { id: 'none' } }))).toEqual([{ containerStats: [] }]);
  });
});

describe('events', () => {
  it('report each step of a container and its sandbox, with both statuses', async () => {
    const stop = new AbortController();
    const events = harness.runtime.getContainerEvents({}, { signal: stop.signal });
    const { podSandboxId } = await harness.runtime.runPodSandbox({ config: podConfig('q') });
    const image = { image: 'host' };
    const config = { metadata: { name: 'c', attempt: 0 }, image, command: ['false'] };
    const { containerId } = await harness.runtime.createContainer({ podSandboxId, config });
    await harness.runtime.startContainer({ containerId });
    const exit = harness.exit(containerId);
    await exit;
    await harness.runtime.removePodSandbox({ podSandboxId });
    stop.abort();
    const all = (await collect(events)).map((event: ContainerEventResponse) => [
      event.containerId === podSandboxId ? 'sandbox' : 'container',
      event.containerEventType.replace(/^CONTAINER_|_EVENT$/g, ''),
      event.podSandboxStatus?.state,
      event.containersStatuses.map(({ state }) => state).join(),
    ]);
    expect(all).toEqual([
      ['sandbox', 'CREATED', 'SANDBOX_READY', ''],
      ['sandbox', 'STARTED', 'SANDBOX_READY', ''],
      ['container', 'CREATED', 'SANDBOX_READY', 'CONTAINER_CREATED'],
      ['container', 'STARTED', 'SANDBOX_READY', 'CONTAINER_RUNNING'],
      ['container', 'STOPPED', 'SANDBOX_READY', 'CONTAINER_EXITED'],
      ['sandbox', 'STOPPED', 'SANDBOX_NOTREADY', 'CONTAINER_EXITED'],
      ['container', 'DELETED', 'SANDBOX_NOTREADY', ''],
      ['sandbox', 'DELETED', undefined, ''],
    ]);
  });

  it('end when the runtime stops', async () => {
    const events = collect(harness.runtime.getContainerEvents({}));
    await harness.stop();
    expect(await events).toEqual([]);
  });
});

describe('the image service', () => {
  it('has one image', async () => {
    const { image } = harness;
    const { images } = await image.listImages({});
    expect(images).toMatchObject([
      { id: hostImageId, repoTags: ['host:latest'], size: 0n, pinned: true, uid: { value: BigInt(process.getuid?.() ?? 0) } },
    ]);
    expect((await image.listImages({ filter: { image: { image: 'nginx' } } })).images).toEqual([]);
    expect(await collect(image.streamImages({}))).toEqual([{ images }]);
    expect((await image.imageStatus({ image: { image: 'localhost/host:1' } })).image).toEqual(images[0]);
    expect((await image.imageStatus({ image: { image: 'nginx' } })).image).toBeUndefined();
    expect(await image.pullImage({ image: { image: 'host:latest' } })).toEqual({ imageRef: hostImageId });
    await expect(image.pullImage({ image: { image: 'nginx' } })).rejects.toMatchObject({
      code: 'CRI_NOT_FOUND',
      message:
        'image "nginx" is not available in the embedded runtime, which has only "host" (this machine\'s own file system): ' +
        'use image: host, or run on containerd with --runtime-endpoint unix:///run/containerd/containerd.sock',
    });
    await expect(image.removeImage({ image: { image: 'host' } })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    expect(await image.removeImage({ image: { image: 'nginx' } })).toEqual({});
  });

  it('reports the usage of the file system', async () => {
    const { imageFilesystems } = await harness.image.imageFsInfo({});
    expect(imageFilesystems[0]).toMatchObject({ fsId: { mountpoint: join(harness.folder, 'state') } });
    expect(imageFilesystems[0]?.usedBytes?.value).toBeGreaterThan(0n);
  });
});
