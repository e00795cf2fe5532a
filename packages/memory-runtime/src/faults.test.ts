import { describe, expect, it } from 'vitest';
import { summarizeCall } from './calls.js';
import { criError } from './errors.js';
import { named, setUp } from './memory-runtime.fixture.js';

describe('faults', () => {
  it('hit calls of their method, after `skip` calls and `times` times', async () => {
    const { memory, runtime } = setUp();
    const fault = memory.fault({ method: 'listContainers', times: 2, skip: 1, error: 'CRI_UNAVAILABLE' });
    await runtime.listContainers({});
    await expect(runtime.listContainers({})).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE', retryable: true });
    await runtime.listPodSandbox({});
    await expect(runtime.listContainers({})).rejects.toThrow();
    await runtime.listContainers({});
    expect(fault.hits).toBe(2);
    expect(memory.calls.map(summarizeCall)).toEqual([
      'listContainers',
      'listContainers CRI_UNAVAILABLE',
      'listPodSandbox',
      'listContainers CRI_UNAVAILABLE',
      'listContainers',
    ]);
  });

  it('hit requests that match, until removed', async () => {
    const { memory, runtime, run, create } = setUp();
    const sandbox = await run('web');
    const fault = memory.fault({
      method: 'createContainer',
      times: Number.POSITIVE_INFINITY,
      match: ({ config }) => config?.metadata?.name === 'bad',
      error: 'no space left on device',
    });
    await create(sandbox, named('good'));
    for (let i = 0; i < 3; i++)
      await expect(create(sandbox, named('bad'))).rejects.toMatchObject({ code: 'CRI_UNKNOWN', message: 'no space left on device' });
    fault.remove();
    fault.remove();
    await create(sandbox, named('bad'));
    memory.fault({ method: '*', error: criError('CRI_UNKNOWN', 'injected') });
    await expect(runtime.version({})).rejects.toThrow('injected');
    memory.fault({ method: '*', error: 'removed by clearFaults' });
    memory.clearFaults();
    await runtime.version({});
  });

  it('delay calls until a deadline or an abort', async () => {
    const { clock, memory, runtime } = setUp();
    memory.fault({ method: 'status', delayMs: 5_000, times: 3 });
    const before = clock.now();
    await clock.run(runtime.status({}));
    expect(clock.now() - before).toBe(5_000);

    await expect(clock.run(runtime.status({}, { timeoutMs: 2_000 }))).rejects.toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED' });
    expect(clock.now() - before).toBe(7_000);
    const controller = new AbortController();
    const call = runtime.status({}, { signal: controller.signal });
    await clock.advance(1_000);
    controller.abort(new Error('shut down'));
    await expect(call).rejects.toThrow('shut down');
    await expect(runtime.status({}, { signal: controller.signal })).rejects.toThrow('shut down');
    expect(clock.pending).toBe(0);
  });

  it('make calls hang until a deadline or an abort', async () => {
    const { clock, memory, runtime } = setUp();
    memory.fault({ method: 'listPodSandbox', hang: true, times: 2 });
    await expect(clock.run(runtime.listPodSandbox({}, { timeoutMs: 120_000 }))).rejects.toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED' });
    let settled = false;
    runtime.listPodSandbox({}).catch(() => {
      settled = true;
    });
    await clock.advance(86_400_000);
    expect(settled).toBe(false);
    memory.crash();
    await clock.settle();
    expect(settled).toBe(true);
  });

  it('drop the responses of executed calls', async () => {
    const { memory, runtime, run, create, start } = setUp();
    memory.fault({ method: 'runPodSandbox', dropAfter: true });
    await expect(run('web')).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE' });
    expect(memory.sandboxes()).toHaveLength(1);
    await expect(run('web')).rejects.toThrow(/is reserved/);

    const sandbox = memory.sandboxes()[0]?.id ?? '';
    memory.fault({ method: 'startContainer', dropAfter: true, error: 'CRI_DEADLINE_EXCEEDED' });
    await expect(start(sandbox)).rejects.toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED' });
    expect(memory.containers()).toMatchObject([{ state: 'running' }]);
    memory.fault({ method: 'createContainer', error: 'CRI_UNKNOWN' });
    await expect(create(sandbox, named('two'))).rejects.toThrow();
    expect(memory.containers()).toHaveLength(1);
    await runtime.version({});
  });

  it('replace responses, also based on the real response', async () => {
    const { memory, runtime, run } = setUp();
    await run('web');
    memory.fault({ method: 'listPodSandbox', answer: { items: [] } });
    expect((await runtime.listPodSandbox({})).items).toEqual([]);
    memory.fault({
      method: 'listPodSandbox',
      answer: async (_, proceed) => ({ items: (await proceed()).items.map((item) => ({ ...item, id: 'wrong' })) }),
    });
    expect((await runtime.listPodSandbox({})).items.map(({ id }) => id)).toEqual(['wrong']);
  });

  it('fail, cut off, replace and delay streams', async () => {
    const { clock, memory, runtime, run } = setUp();
    await run('web');
    const collect = async () => {
      const found: string[] = [];
      try {
        for await (const { podSandboxes } of runtime.streamPodSandboxes({}))
          found.push(...podSandboxes.map(({ labels }) => labels.app ?? ''));
      } catch (error) {
        found.push((error as { code: string }).code);
      }
      return found;
    };
    memory.fault({ method: 'streamPodSandboxes', error: 'CRI_UNIMPLEMENTED' });
    expect(await collect()).toEqual(['CRI_UNIMPLEMENTED']);
    memory.fault({ method: 'streamPodSandboxes', dropAfter: true });
    expect(await collect()).toEqual(['web', 'CRI_UNAVAILABLE']);
    memory.fault({ method: 'streamPodSandboxes', answer: { podSandboxes: [] } });
    expect(await collect()).toEqual([]);
    memory.fault({ method: 'streamPodSandboxes', delayMs: 1_000 });
    expect(await clock.run(collect())).toEqual(['web']);
    expect(await collect()).toEqual(['web']);
  });
});

describe('a crash of the runtime', () => {
  it('fails every call, while containers continue to run and exit', async () => {
    const { clock, memory, runtime, image, run, start, status } = setUp();
    memory.script('job', { exit: { afterMs: 10_000, code: 3 } });
    memory.script('stubborn', { onStop: 'ignore' });
    const sandbox = await run('web');
    const job = await start(sandbox, named('job'));
    const stubborn = await start(sandbox, named('stubborn'));
    const stopping = runtime.stopContainer({ containerId: stubborn, timeout: 30n });
    const events = (async () => {
      for await (const _ of runtime.getContainerEvents({}));
    })();
    const lost = Promise.allSettled([stopping, events]);
    await clock.advance(1_000);
    memory.crash();
    expect(await lost).toMatchObject([{ reason: { code: 'CRI_UNAVAILABLE' } }, { reason: { code: 'CRI_UNAVAILABLE' } }]);
    await expect(runtime.version({})).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE', retryable: true });
    await expect(image.listImages({})).rejects.toMatchObject({ code: 'CRI_UNAVAILABLE' });
    expect(memory.up).toBe(false);
    await clock.advance(60_000);
    memory.restart();
    expect(await status(job)).toMatchObject({ exitCode: 3, finishedAt: 1_010_000_000_000n });
    expect(await status(stubborn)).toMatchObject({ state: 'CONTAINER_RUNNING' });
  });
});

describe('the record of calls', () => {
  it('contains request, response, error and timestamps', async () => {
    const { clock, memory, runtime, run } = setUp();
    const sandbox = await run('web');
    await clock.advance(500);
    await runtime.containerStatus({ containerId: 'none' }).catch(() => {});
    expect(memory.calls).toMatchObject([
      { method: 'runPodSandbox', at: 1_000_000, endedAt: 1_000_000, response: { podSandboxId: sandbox } },
      { method: 'containerStatus', at: 1_000_500, request: { containerId: 'none' }, error: { code: 'CRI_NOT_FOUND' } },
    ]);
    expect(memory.callsOf('runPodSandbox')).toHaveLength(1);
    memory.clearCalls();
    expect(memory.calls).toEqual([]);
  });

  it('keeps the last `recordCalls` calls', async () => {
    const { memory, runtime } = setUp({ recordCalls: 3 });
    for (let i = 0; i < 20; i++) await runtime.version({ version: String(i) });
    expect(memory.calls.map(({ request }) => (request as { version: string }).version)).toEqual(['17', '18', '19']);
  });
});
