import { describe, expect, it } from 'vitest';
import { named, sandboxConfig, setUp } from './memory-runtime.fixture.js';

describe('RuntimeService of the in-memory runtime', () => {
  it('reports its version and conditions', async () => {
    const { memory, runtime } = setUp({ runtimeName: 'containerd', cgroupDriver: 'SYSTEMD' });
    expect(await runtime.version({ version: '0.1.0' })).toMatchObject({
      version: '0.1.0',
      runtimeName: 'containerd',
      runtimeApiVersion: 'v1',
    });
    expect(await runtime.runtimeConfig({})).toEqual({ linux: { cgroupDriver: 'SYSTEMD' } });
    memory.setCondition('NetworkReady', false, 'NetworkPluginNotReady', 'cni plugin not initialized');
    expect((await runtime.status({})).status?.conditions).toEqual([
      { type: 'RuntimeReady', status: true, reason: '', message: '' },
      { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady', message: 'cni plugin not initialized' },
    ]);
  });

  it('gives each sandbox an IP address, except on the host network and after it has stopped', async () => {
    const { runtime, run } = setUp();
    const [a, b] = [await run('a'), await run('b')];
    const host = (
      await runtime.runPodSandbox({
        config: { ...sandboxConfig('h'), linux: { securityContext: { namespaceOptions: { network: 'NODE' } } } },
      })
    ).podSandboxId;
    const ip = async (podSandboxId: string) => (await runtime.podSandboxStatus({ podSandboxId })).status?.network?.ip;
    expect([await ip(a), await ip(b), await ip(host)]).toEqual(['10.88.0.2', '10.88.0.3', '']);
    await runtime.stopPodSandbox({ podSandboxId: a });
    await runtime.stopPodSandbox({ podSandboxId: a });
    expect(await ip(a)).toBe('');
    expect((await runtime.podSandboxStatus({ podSandboxId: host })).status?.linux?.namespaces?.options?.network).toBe('NODE');
  });

  it('filters listings by id, state, sandbox and labels', async () => {
    const { memory, runtime, run, start, create } = setUp();
    const [a, b] = [await run('a'), await run('b')];
    const running = await start(a, { ...named('one'), labels: { app: 'a' } });
    const exited = await start(a, { ...named('two'), labels: { app: 'a' } });
    const created = await create(b, { ...named('one'), labels: { app: 'b' } });
    memory.kill(exited, 1);
    await runtime.stopPodSandbox({ podSandboxId: b });

    const ids = async (filter: Parameters<typeof runtime.listContainers>[0]['filter']) =>
      (await runtime.listContainers({ filter })).containers.map(({ id }) => id);
    expect(await ids(undefined)).toEqual([running, exited, created]);
    expect(await ids({ id: exited })).toEqual([exited]);
    expect(await ids({ id: 'none' })).toEqual([]);
    expect(await ids({ podSandboxId: a })).toEqual([running, exited]);
    expect(await ids({ state: { state: 'CONTAINER_RUNNING' } })).toEqual([running]);
    expect(await ids({ state: {} })).toEqual([created]);
    expect(await ids({ labelSelector: { app: 'a' }, state: { state: 'CONTAINER_EXITED' } })).toEqual([exited]);

    const sandboxes = async (filter: Parameters<typeof runtime.listPodSandbox>[0]['filter']) =>
      (await runtime.listPodSandbox({ filter })).items.map(({ id }) => id);
    expect(await sandboxes(undefined)).toEqual([a, b]);
    expect(await sandboxes({ state: { state: 'SANDBOX_READY' } })).toEqual([a]);
    expect(await sandboxes({ state: { state: 'SANDBOX_NOTREADY' }, labelSelector: { app: 'b' } })).toEqual([b]);
    expect(await sandboxes({ id: a, labelSelector: { app: 'b' } })).toEqual([]);
  });

  it('lists the sandboxes and containers of a pod, of which there may be several', async () => {
    const { runtime, run, create } = setUp();
    const { labels } = sandboxConfig('a');
    const listed = async (labelSelector: Record<string, string>) => [
      ...(await runtime.listPodSandbox({ filter: { labelSelector } })).items.map(({ id }) => id),
      ...(await runtime.listContainers({ filter: { labelSelector } })).containers.map(({ id }) => id),
    ];
    const first = await run('a');
    const { podSandboxId: second } = await runtime.runPodSandbox({ config: sandboxConfig('a', 1) });
    const containers = [await create(first, { ...named('one'), labels }), await create(second, { ...named('two'), labels })];
    await create(await run('b'), named('one'));
    expect(await listed(labels)).toEqual([first, second, ...containers]);
    expect(await listed({ ...labels, app: 'b' })).toEqual([]);
    expect(await listed({ ...labels, 'io.kubernetes.pod.uid': 'unknown' })).toEqual([]);

    await runtime.removePodSandbox({ podSandboxId: first });
    expect(await listed(labels)).toEqual([second, containers[1]]);
    await runtime.removePodSandbox({ podSandboxId: second });
    expect(await listed(labels)).toEqual([]);
  });

  it('streams listings in chunks of 100', async () => {
    const { runtime, run } = setUp();
    for (let i = 0; i < 205; i++) await run(`p${i}`);
    const sizes: number[] = [];
    for await (const { podSandboxes } of runtime.streamPodSandboxes({})) sizes.push(podSandboxes.length);
    expect(sizes).toEqual([100, 100, 5]);
  });

  it('gives rising creation times, even if the clock steps back', async () => {
    const { clock, memory, run, create } = setUp();
    const sandbox = await run('web');
    for (let i = 0; i < 5; i++) {
      await create(sandbox, named(`c${i}`));
      clock.jump(-100);
    }
    const times = memory.containers().map(({ createdAt }) => createdAt);
    expect(times).toEqual([...new Set(times)].sort());
  });

  it('rejects invalid requests with the code of the CRI', async () => {
    const { memory, runtime, image, run, create, start } = setUp();
    const sandbox = await run('web');
    const id = await start(sandbox);
    await expect(runtime.containerStatus({ containerId: 'none' })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(runtime.podSandboxStatus({ podSandboxId: 'none' })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(runtime.startContainer({ containerId: 'none' })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(runtime.startContainer({ containerId: id })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    await expect(create('none')).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(create(sandbox)).rejects.toMatchObject({ code: 'CRI_UNKNOWN', message: /reserve container name/ });
    await expect(run('web')).rejects.toMatchObject({ code: 'CRI_UNKNOWN', message: /reserve sandbox name/ });
    await expect(create(sandbox, { ...named('x'), image: { image: 'absent:1' } })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(create(sandbox, { metadata: { name: '', attempt: 0 } })).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    await expect(runtime.runPodSandbox({})).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    await expect(runtime.runPodSandbox({ config: sandboxConfig('k'), runtimeHandler: 'kata' })).rejects.toMatchObject({
      message: /"kata"/,
    });
    await expect(runtime.checkpointContainer({})).rejects.toMatchObject({ code: 'CRI_UNIMPLEMENTED' });
    await expect(image.pullImage({})).rejects.toMatchObject({ code: 'CRI_INVALID_ARGUMENT' });
    memory.killSandbox(sandbox);
    await expect(create(sandbox, named('later'))).rejects.toMatchObject({ message: /is not running/ });
  });

  it('stops and removes unknown containers and sandboxes without an error', async () => {
    const { runtime } = setUp();
    expect(await runtime.stopContainer({ containerId: 'none', timeout: 1n })).toEqual({});
    expect(await runtime.removeContainer({ containerId: 'none' })).toEqual({});
    expect(await runtime.stopPodSandbox({ podSandboxId: 'none' })).toEqual({});
    expect(await runtime.removePodSandbox({ podSandboxId: 'none' })).toEqual({});
  });

  it('removes containers with their sandbox and frees their names', async () => {
    const { clock, memory, runtime, run, start } = setUp();
    memory.script('main', { exit: { afterMs: 1_000 } });
    const sandbox = await run('web');
    await start(sandbox);
    await runtime.removePodSandbox({ podSandboxId: sandbox });
    expect([memory.containers(), memory.sandboxes(), clock.pending]).toEqual([[], [], 0]);
    await start(await run('web'));
    expect(memory.containers('main')).toHaveLength(1);
    expect(memory.containers('other')).toEqual([]);
  });

  it('updates only the given resources', async () => {
    const { memory, runtime, run, start, status } = setUp();
    const id = await start(await run('web'), { linux: { resources: { cpuShares: 2n, memoryLimitInBytes: 100n } } });
    await runtime.updateContainerResources({ containerId: id, linux: { memoryLimitInBytes: 200n } });
    expect((await status(id)).resources?.linux).toEqual({ cpuShares: 2n, memoryLimitInBytes: 200n });
    memory.kill(id);
    await expect(runtime.updateContainerResources({ containerId: id, linux: {} })).rejects.toMatchObject({
      code: 'CRI_FAILED_PRECONDITION',
    });
    await expect(runtime.reopenContainerLog({ containerId: id })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
  });

  it('keeps a copy of the config and returns immutable listings', async () => {
    const { memory, runtime } = setUp();
    const config = sandboxConfig('web');
    await runtime.runPodSandbox({ config });
    config.labels.app = 'changed';
    expect(memory.sandboxes()[0]?.config.labels).toMatchObject({ app: 'web' });
    const { items } = await runtime.listPodSandbox({});
    expect(() => Object.assign(items[0]?.labels ?? {}, { app: 'changed' })).toThrow(TypeError);
  });

  it('sends events of containers and sandboxes to a subscriber', async () => {
    const { clock, memory, runtime, run, start } = setUp();
    const controller = new AbortController();
    const seen: string[] = [];
    const listen = async () => {
      for await (const event of runtime.getContainerEvents({}, { signal: controller.signal })) {
        seen.push(
          `${event.containerEventType} ${event.containersStatuses.map(({ state }) => state)} ${event.podSandboxStatus?.metadata?.name}`,
        );
      }
    };
    const listening = listen();
    await clock.settle();
    const id = await start(await run('web'));
    memory.kill(id);
    await runtime.removeContainer({ containerId: id });
    const [sandbox] = memory.sandboxes();
    memory.killSandbox(sandbox?.id ?? '');
    await runtime.stopPodSandbox({ podSandboxId: sandbox?.id ?? '' });
    await runtime.removePodSandbox({ podSandboxId: sandbox?.id ?? '' });
    await clock.settle();
    expect(seen).toEqual([
      'CONTAINER_CREATED_EVENT  web',
      'CONTAINER_STARTED_EVENT  web',
      'CONTAINER_CREATED_EVENT CONTAINER_CREATED web',
      'CONTAINER_STARTED_EVENT CONTAINER_RUNNING web',
      'CONTAINER_STOPPED_EVENT CONTAINER_EXITED web',
      'CONTAINER_DELETED_EVENT  web',
      'CONTAINER_STOPPED_EVENT  web',
      'CONTAINER_DELETED_EVENT  web',
    ]);
    controller.abort(new Error('enough'));
    await expect(listening).rejects.toThrow('enough');
  });

  it('stops all containers and sandboxes at a reboot', async () => {
    const { memory, run, start, status } = setUp();
    const id = await start(await run('web'));
    memory.reboot();
    expect(await status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 255, reason: 'Unknown' });
    expect(memory.sandboxes()).toMatchObject([{ ready: false }]);
  });

  it('generates ids from the seed', async () => {
    const ids = async (seed: string) => {
      const { run, start } = setUp({ seed });
      return start(await run('web'));
    };
    expect(await ids('a')).toBe(await ids('a'));
    expect(await ids('a')).not.toBe(await ids('b'));
    expect(await ids('a')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('names the invalid option', () => {
    expect(() => setUp({ recordCalls: -1 })).toThrow(/recordCalls/);
  });
});
