import { describe, expect, it } from 'vitest';
import { named, setUp } from './memory-runtime.fixture.js';

describe('containers of the in-memory runtime', () => {
  it('run forever by default, without a timer', async () => {
    const { clock, memory, run, start, status } = setUp();
    const id = await start(await run('web'));
    await clock.advance(86_400_000);
    expect(await status(id)).toMatchObject({ state: 'CONTAINER_RUNNING', exitCode: 0, finishedAt: 0n });
    expect(clock.pending).toBe(0);
    expect(memory.containers()).toMatchObject([{ name: 'main', pod: 'web', state: 'running', image: 'busybox:1' }]);
  });

  it('exit as the script of each attempt specifies', async () => {
    const { clock, memory, run, start, status } = setUp();
    memory.script('job', [
      { exit: { afterMs: 5_000, code: 1 } },
      { exit: { afterMs: 1_000, code: 137, reason: 'OOMKilled' } },
      { exit: { afterMs: 1, code: 0, message: 'from the runtime' } },
    ]);
    const sandbox = await run('batch');
    const ids: string[] = [];
    for (let attempt = 0; attempt < 4; attempt++) ids.push(await start(sandbox, named('job', attempt)));
    await clock.advance(10_000);
    const ends = await Promise.all(ids.map(status));
    expect(ends.map(({ exitCode, reason, message }) => ({ exitCode, reason, message }))).toEqual([
      { exitCode: 1, reason: 'Error', message: '' },
      { exitCode: 137, reason: 'OOMKilled', message: '' },
      { exitCode: 0, reason: 'Completed', message: 'from the runtime' },
      { exitCode: 0, reason: 'Completed', message: 'from the runtime' },
    ]);
    expect(ends[0]?.finishedAt).toBe(1_005_000_000_000n);
  });

  it('follow the last added script that matches them', async () => {
    const { clock, memory, run, start, status } = setUp({ images: 'any' });
    memory.script({}, { exit: { code: 1 } });
    memory.script({ image: /^nginx/, pod: 'web' }, { exit: { code: 2 } });
    memory.script({ name: 'side', namespace: 'default' }, ({ attempt, pod }) => ({ exit: { code: pod === 'web' ? 40 + attempt : 0 } }));
    const sandbox = await run('web');
    const ids = [
      await start(sandbox, named('any')),
      await start(sandbox, { ...named('nginx'), image: { image: 'sha256:abc', userSpecifiedImage: 'nginx:1' } }),
      await start(sandbox, named('side', 2)),
      await start(await run('other'), { image: { image: 'nginx:1' } }),
    ];
    await clock.advance(1);
    expect((await Promise.all(ids.map(status))).map(({ exitCode }) => exitCode)).toEqual([1, 2, 42, 1]);
  });

  it.each([
    ['exits at once', {}, 30n, 143, 0],
    ['exits after a delay with the scripted exit code', { onStop: { afterMs: 2_000, code: 0 } }, 30n, 0, 2_000],
    ['is killed at the end of the grace period', { onStop: { afterMs: 9_000 } }, 3n, 137, 3_000],
    ['is killed if it ignores SIGTERM', { onStop: 'ignore' }, 5n, 137, 5_000],
    ['is killed at once without a grace period', { onStop: { code: 0 } }, 0n, 137, 0],
  ] as const)('StopContainer: %s', async (_, behaviour, timeout, exitCode, tookMs) => {
    const { clock, memory, runtime, run, start, status } = setUp();
    memory.script('main', behaviour);
    const id = await start(await run('web'));
    const before = clock.now();
    await clock.run(runtime.stopContainer({ containerId: id, timeout }));
    expect(clock.now() - before).toBe(tookMs);
    expect(await status(id)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' });
    await runtime.stopContainer({ containerId: id, timeout });
    expect(clock.pending).toBe(0);
  });

  it('receive no SIGKILL from an aborted StopContainer, and one from the next call', async () => {
    const { clock, memory, runtime, run, start, status } = setUp();
    memory.script('main', { onStop: 'ignore' });
    const id = await start(await run('web'));
    const controller = new AbortController();
    const stopping = runtime.stopContainer({ containerId: id, timeout: 10n }, { signal: controller.signal });
    await clock.advance(1_000);
    controller.abort(new Error('given up'));
    await expect(stopping).rejects.toThrow('given up');
    await clock.advance(60_000);
    expect(await status(id)).toMatchObject({ state: 'CONTAINER_RUNNING' });
    await clock.run(runtime.stopContainer({ containerId: id, timeout: 1n }));
    expect(await status(id)).toMatchObject({ exitCode: 137 });
  });

  it('start slowly or fail to start, as scripted', async () => {
    const { clock, memory, runtime, run, create, status } = setUp();
    memory.script('slow', { startMs: 3_000 });
    memory.script('broken', { startError: 'exec: "no-such-file": executable file not found in $PATH' });
    const sandbox = await run('web');
    const slow = await create(sandbox, named('slow'));
    const starting = runtime.startContainer({ containerId: slow });
    await expect(runtime.startContainer({ containerId: slow })).rejects.toMatchObject({ code: 'CRI_FAILED_PRECONDITION' });
    expect(await status(slow)).toMatchObject({ state: 'CONTAINER_CREATED', startedAt: 0n });
    await clock.run(starting);
    expect(await status(slow)).toMatchObject({ state: 'CONTAINER_RUNNING', startedAt: 1_003_000_000_000n });

    const broken = await create(sandbox, named('broken'));
    await expect(runtime.startContainer({ containerId: broken })).rejects.toMatchObject({ code: 'CRI_UNKNOWN', message: /no-such-file/ });
    expect(await status(broken)).toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 128, reason: 'StartError', message: /no-such-file/ });
  });

  it('answer exec calls as scripted, with a timeout, until they exit', async () => {
    const { clock, memory, runtime, run, start } = setUp();
    memory.script('main', {
      exec: ([command = '']) =>
        command === 'slow'
          ? { afterMs: 5_000, stdout: 'late' }
          : command === 'never'
            ? { afterMs: Number.POSITIVE_INFINITY }
            : { exitCode: 3, stderr: command },
    });
    const containerId = await start(await run('web'));
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

    const quick = await runtime.execSync({ containerId, cmd: ['ls'] });
    expect([quick.exitCode, text(quick.stdout), text(quick.stderr)]).toEqual([3, '', 'ls']);
    const late = await clock.run(runtime.execSync({ containerId, cmd: ['slow'], timeout: 10n }));
    expect(text(late.stdout)).toBe('late');
    await expect(clock.run(runtime.execSync({ containerId, cmd: ['slow'], timeout: 1n }))).rejects.toMatchObject({
      code: 'CRI_DEADLINE_EXCEEDED',
      message: /timeout 1s exceeded/,
    });
    const cut = runtime.execSync({ containerId, cmd: ['never'] });
    await clock.settle();
    memory.kill(containerId);
    expect(await cut).toMatchObject({ exitCode: 137 });
    await expect(runtime.execSync({ containerId, cmd: ['ls'] })).rejects.toMatchObject({ code: 'CRI_UNKNOWN' });
  });

  it('write logs and a termination message', async () => {
    const files = new Map<string, string>();
    const { clock, memory, run, start } = setUp({ files: { append: (path, text) => files.set(path, (files.get(path) ?? '') + text) } });
    memory.script('main', {
      logs: ['hello', { text: 'failed', afterMs: 500, stream: 'stderr' }, { text: 'never', afterMs: 5_000 }],
      exit: { afterMs: 1_000, code: 1 },
      terminationMessage: 'it broke',
    });
    const id = await start(await run('web'), {
      mounts: [{ containerPath: '/dev/termination-log', hostPath: '/pods/x/message' }],
      annotations: { 'io.kubernetes.container.terminationMessagePath': '/dev/termination-log' },
    });
    await clock.advance(10_000);
    expect(memory.logs(id)).toEqual(['hello', 'failed']);
    expect(files.get('/logs/web/main/0.log')).toBe('1970-01-01T00:16:40.000Z stdout F hello\n1970-01-01T00:16:40.500Z stderr F failed\n');
    expect(files.get('/pods/x/message')).toBe('it broke');
  });

  it('report scripted usage in the stats of containers, sandboxes and the file system', async () => {
    const { clock, memory, runtime, image, run, start } = setUp();
    memory.script('main', { usage: (ms) => ({ nanoCores: 500_000_000, memoryBytes: 1_000 + ms, diskBytes: 7 }) });
    const id = await start(await run('web'));
    await clock.advance(2_000);
    const { stats } = await runtime.containerStats({ containerId: id });
    expect(stats?.cpu?.usageCoreNanoSeconds?.value).toBe(1_000_000_000n);
    expect(stats?.memory?.workingSetBytes?.value).toBe(3_000n);
    const [pod] = (await runtime.listPodSandboxStats({})).stats;
    expect(pod?.linux?.memory?.workingSetBytes?.value).toBe(3_000n);
    expect((await runtime.listContainerStats({ filter: { podSandboxId: 'other' } })).stats).toEqual([]);
    memory.kill(id);
    expect((await runtime.listContainerStats({})).stats).toEqual([]);
    expect((await image.imageFsInfo({})).containerFilesystems[0]?.usedBytes?.value).toBe(7n);
  });

  it('list 3000 pods from cached entries, without timers or recorded calls', async () => {
    const { clock, memory, runtime, run, start } = setUp({ recordCalls: 0 });
    for (let i = 0; i < 3_000; i++) await start(await run(`pod-${i}`));
    const first = await runtime.listContainers({});
    for (let i = 0; i < 100; i++) expect((await runtime.listContainers({})).containers).toHaveLength(3_000);
    expect((await runtime.listContainers({})).containers[5]).toBe(first.containers[5]);
    expect(clock.pending).toBe(0);
    expect(memory.calls).toEqual([]);
  });
});
