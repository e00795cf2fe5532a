import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestNode } from '../test-node.js';

function setUp() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const recorder = createRecordingRecorder();
  const node = createTestNode(memory, clock, { recorder });
  /** Changing calls as `createContainer web`. */
  const changes = () =>
    memory.calls
      .filter(({ method }) => /^(run|create|start|stop|remove)/.test(method))
      .map(({ method, request }) => {
        const { containerId, config } = request as { containerId?: string; config?: { metadata?: { name: string } } };
        const name = memory.containers().find(({ id }) => id === containerId)?.name ?? (config?.metadata?.name || '');
        return `${method} ${name}`.trim();
      });
  return { clock, memory, recorder, node, changes };
}

/** A node on which liveness probes can fail. */
function setUpWithProbes() {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const failed = new Set<string>();
  const probeResults = {
    liveness: (id: string) => (failed.has(id) ? ('Failure' as const) : undefined),
    startup: () => undefined,
  };
  const failLiveness = (name: string) => failed.add(memory.containers(name)[0]?.id ?? '');
  return { memory, node: createTestNode(memory, clock, { probeResults }), failLiveness };
}

const sidecar = { name: 'side', restartPolicy: 'Always' };
const initPod = buildPod({
  name: 'web',
  initContainers: [{ name: 'i1' }, sidecar, { name: 'i2' }],
  containers: [{ name: 'a' }, { name: 'b' }],
});

describe('a pod with init containers and a sidecar', () => {
  it('starts them one after the other, and then the regular containers', async () => {
    const { clock, memory, node, changes, recorder } = setUp();
    memory.script('i1', { exit: { afterMs: 1000 } });
    memory.script('i2', { exit: { afterMs: 1000 } });

    for (let second = 0; second < 6; second++) {
      expect((await node.sync(initPod)).error).toBeUndefined();
      await clock.advance(1000);
    }

    expect(changes()).toEqual([
      'runPodSandbox web',
      ...['i1', 'side', 'i2', 'a', 'b'].flatMap((name) => [`createContainer ${name}`, `startContainer ${name}`]),
    ]);
    expect(recorder.events.slice(0, 2).map(({ reason, message, object }) => [reason, message, object.fieldPath])).toEqual([
      ['Created', 'Container created', 'spec.initContainers{i1}'],
      ['Started', 'Container started', 'spec.initContainers{i1}'],
    ]);
  });

  it('stops regular containers at once, then the sidecar, then the sandbox', async () => {
    const { clock, memory, node, recorder } = setUp();
    memory.script('i1', { exit: {} });
    memory.script('i2', { exit: {} });
    memory.script('a', { onStop: { afterMs: 3000 } });
    for (let round = 0; round < 5; round++) {
      await node.sync(initPod);
      await clock.advance(1);
    }
    recorder.clear();
    memory.clearCalls();
    const start = clock.now();
    const result = await clock.run(node.kill(initPod));

    expect(result.error).toBeUndefined();
    const stops = memory.calls
      .filter(({ method }) => method.startsWith('stop'))
      .map(({ method, request, at }) => {
        const { containerId, timeout } = request as { containerId?: string; timeout?: bigint };
        return [method, memory.containers().find(({ id }) => id === containerId)?.name, timeout, at - start];
      });
    expect(stops).toEqual([
      ['stopContainer', 'b', 30n, 0],
      ['stopContainer', 'a', 30n, 0],
      ['stopContainer', 'side', 27n, 3000],
      ['stopPodSandbox', undefined, undefined, 3000],
    ]);
    expect(recorder.lines.sort()).toEqual(['a', 'b', 'side'].map((name) => `Normal Killing Stopping container ${name}`));
    expect(
      result.results
        .filter(({ action }) => action === 'KillContainer')
        .map(({ target }) => target)
        .sort(),
    ).toEqual(['a', 'b', 'side']);
  });

  it('stops waiting for a container that cannot be stopped at the end of the grace period', async () => {
    const { clock, memory, node } = setUp();
    memory.script('i1', { exit: {} });
    memory.script('i2', { exit: {} });
    for (let round = 0; round < 5; round++) {
      await node.sync(initPod);
      await clock.advance(1);
    }
    const [a] = memory.containers('a');
    memory.fault({ method: 'stopContainer', match: ({ containerId }) => containerId === a?.id, error: 'stuck in the kernel' });
    const start = clock.now();
    const result = await clock.run(node.kill(initPod, 10));

    expect(result.error).toMatchObject({ code: 'KillContainerError', message: 'stuck in the kernel' });
    const side = memory.callsOf('stopContainer').at(-1);
    expect([side?.at, side?.request]).toEqual([start + 10_000, expect.objectContaining({ timeout: 2n })]);
  });
});

describe('an aborted kill', () => {
  const hooked = buildPod({
    name: 'web',
    terminationGracePeriodSeconds: 600,
    initContainers: [sidecar],
    containers: [{ name: 'a', lifecycle: { preStop: { exec: { command: ['drain'] } } } }],
  });

  it.each([
    ['before its preStop hook ended', 20_000],
    ['after its preStop hook ended', 2_000],
  ])('%s leaves the pod running, and the next kill ends it within the shorter period', async (_when, hookMs) => {
    const { clock, memory, node } = setUp();
    memory.script('a', { onStop: 'ignore', exec: { afterMs: hookMs } });
    await node.sync(hooked);
    await node.sync(hooked);
    const cancelled = new AbortController();
    const killing = node.kill(hooked, 600, cancelled.signal);
    await clock.advance(10_000);
    cancelled.abort(new Error('shorter'));
    expect((await killing).error).toMatchObject({ message: 'shorter' });
    expect(memory.callsOf('stopPodSandbox')).toEqual([]);
    expect(memory.containers().map(({ state }) => state)).toEqual(['running', 'running']);

    const start = clock.now();
    expect((await clock.run(node.kill(hooked, 5))).error).toBeUndefined();
    expect((clock.now() - start) / 1000).toBeLessThanOrEqual(hookMs > 10_000 ? 9 : 7);
    expect(memory.containers().map(({ state }) => state)).toEqual(['exited', 'exited']);
    expect(memory.callsOf('execSync')).toHaveLength(1);
  });

  it('that fails for another reason runs its preStop hook again', async () => {
    const { clock, memory, node } = setUp();
    await node.sync(hooked);
    await node.sync(hooked);
    for (const method of ['stopContainer', 'stopPodSandbox'] as const) memory.fault({ method, error: 'busy' });
    expect((await clock.run(node.kill(hooked, 30))).error).toMatchObject({ message: 'busy' });
    await clock.run(node.kill(hooked, 30));
    expect(memory.callsOf('execSync')).toHaveLength(2);
  });
});

describe('a restarted agent', () => {
  it('adopts running containers and keeps their restart counts', async () => {
    const { clock, memory, node } = setUp();
    memory.script('a', [{ exit: { afterMs: 10, code: 1 } }, {}]);
    const pod = buildPod({ name: 'p', containers: [{ name: 'a', resources: { requests: { memory: '64Mi' } } }] });
    await node.sync(pod);
    await clock.advance(1000);
    await node.sync(pod);
    memory.clearCalls();

    const later = createTestNode(memory, clock, {}, node.files);
    const result = await later.sync(pod);
    expect(result.error).toBeUndefined();
    expect(memory.calls.filter(({ method }) => /^(run|create|start|stop|remove)/.test(method))).toEqual([]);
    const status = await later.status(pod);
    expect(status.containerStatuses[0]).toMatchObject({ name: 'a', state: 'running', restartCount: 1 });
    expect(status.ips).toEqual([memory.sandboxes()[0]?.ips[0]]);
  });

  it('counts restarts by the logs if the runtime has no containers', async () => {
    const { memory, node } = setUp();
    const pod = buildPod({ name: 'p', uid: 'u', containers: [{ name: 'a' }] });
    node.files.append('/var/log/pods/default_p_u/a/0.log', '');
    node.files.append('/var/log/pods/default_p_u/a/4.log.20260101-000000.gz', '');
    await node.sync(pod);
    expect(memory.containers('a')[0]?.attempt).toBe(5);
  });

  it('stops a container of an unknown pod with its grace period and preStop hook', async () => {
    const { clock, memory, node } = setUp();
    memory.script('a', { exec: { afterMs: 2000 } });
    const lifecycle = { preStop: { exec: { command: ['bye'] } } };
    await node.sync(buildPod({ name: 'p', uid: 'u', terminationGracePeriodSeconds: 7, containers: [{ name: 'a', lifecycle }] }));
    const running = (await node.manager.getPods(false))[0];
    if (!running) throw new Error('nothing runs');
    const result = await clock.run(node.manager.killPod(undefined, running));
    expect(result.error).toBeUndefined();
    expect(memory.callsOf('execSync')[0]?.request).toMatchObject({ cmd: ['bye'] });
    expect(memory.callsOf('stopContainer')[0]?.request).toMatchObject({ timeout: 5n });
  });
});

describe('a sync', () => {
  it('stops and restarts a container whose image changed', async () => {
    const { node, changes, memory, recorder } = setUp();
    const pod = buildPod({ name: 'p', containers: [{ name: 'a', image: 'x:1' }] });
    await node.sync(pod);
    memory.clearCalls();
    recorder.clear();
    await node.sync(buildPod({ name: 'p', containers: [{ name: 'a', image: 'x:2' }] }));
    expect(changes()).toEqual(['stopContainer a', 'createContainer a', 'startContainer a']);
    expect(recorder.lines[0]).toBe('Normal Killing Container a definition changed, will be restarted');
  });

  it('replaces a lost sandbox: stops its containers first and runs init containers again', async () => {
    const { node, changes, memory, recorder, clock } = setUp();
    memory.script('i', { exit: {} });
    const pod = buildPod({ name: 'p', initContainers: [{ name: 'i' }], containers: [{ name: 'a' }] });
    await node.sync(pod);
    await clock.advance(1);
    await node.sync(pod);
    memory.killSandbox(memory.sandboxes()[0]?.id ?? '');
    memory.clearCalls();
    recorder.clear();
    await node.sync(pod);
    expect(recorder.lines[0]).toBe('Normal SandboxChanged Pod sandbox changed, it will be killed and re-created.');
    expect(changes()).toEqual([
      'stopContainer a',
      'stopPodSandbox',
      'removeContainer',
      'runPodSandbox p',
      'createContainer i',
      'startContainer i',
    ]);
    expect(memory.sandboxes().at(-1)?.attempt).toBe(1);
  });

  it("restarts a container whose liveness probe fails within the probe's grace period", async () => {
    const { memory, node, failLiveness } = setUpWithProbes();
    const livenessProbe = { terminationGracePeriodSeconds: 4 };
    const pod = buildPod({ name: 'p', containers: [{ name: 'a', livenessProbe }] });
    await node.sync(pod);
    failLiveness('a');
    await node.sync(pod);
    expect(memory.callsOf('stopContainer')[0]?.request).toMatchObject({ timeout: 4n });
    expect(memory.containers('a').map(({ state }) => state)).toEqual(['exited', 'running']);
  });

  it('stops a container whose liveness probe fails, and does not restart it if its policy is Never', async () => {
    const { memory, node, failLiveness } = setUpWithProbes();
    const pod = buildPod({ name: 'p', restartPolicy: 'Never', containers: [{ name: 'a' }, { name: 'b' }] });
    await node.sync(pod);
    failLiveness('a');
    await node.sync(pod);
    await node.sync(pod);
    expect(memory.containers().map(({ name, state }) => `${name} ${state}`)).toEqual(['a exited', 'b running']);
  });

  it('ends a pod of policy Never that loses its sandbox', async () => {
    const { node, changes, memory } = setUp();
    const pod = buildPod({ name: 'p', restartPolicy: 'Never', containers: [{ name: 'a' }] });
    await node.sync(pod);
    memory.killSandbox(memory.sandboxes()[0]?.id ?? '');
    memory.clearCalls();
    await node.sync(pod);
    await node.sync(pod);
    expect(changes().filter((call) => /^(run|create|start)/.test(call))).toEqual([]);
    expect(memory.containers().map(({ name, state }) => `${name} ${state}`)).toEqual(['a exited']);
  });

  it('stops the sandbox of a completed pod that is not to restart', async () => {
    const { node, changes, memory, clock } = setUp();
    memory.script('a', { exit: { code: 3 } });
    const pod = buildPod({ name: 'p', restartPolicy: 'Never', containers: [{ name: 'a' }] });
    await node.sync(pod);
    await clock.advance(1);
    memory.clearCalls();
    await node.sync(pod);
    expect(changes()).toEqual(['stopPodSandbox']);
  });

  it('restarts all containers in place: stops and removes them, keeps their logs, then re-creates them', async () => {
    const { node, changes, memory, clock } = setUp();
    const pod = buildPod({ name: 'p', containers: [{ name: 'a' }, { name: 'b' }] });
    await node.sync(pod);
    memory.clearCalls();
    await clock.run(node.sync(pod, { restartAllContainers: true }));
    expect(changes().map((line) => line.split(' ')[0])).toEqual(['stopContainer', 'removeContainer', 'stopContainer', 'removeContainer']);
    expect(memory.callsOf('stopContainer').map(({ request }) => (request as { timeout: bigint }).timeout)).toEqual([2n, 2n]);
    await node.sync(pod);
    expect(memory.containers().map(({ name, state }) => `${name} ${state}`)).toEqual(['a running', 'b running']);
  });

  it('starts the next init container although a sidecar fails to restart', async () => {
    const { node, memory } = setUp();
    const pod = (image: string) =>
      buildPod({ name: 'p', initContainers: [{ ...sidecar, image }, { name: 'i' }], containers: [{ name: 'a' }] });
    await node.sync(pod('x:1'));
    memory.fault({ method: 'createContainer', error: 'no' });
    const { results } = await node.sync(pod('x:2'));
    expect(results.map(({ action, target, error }) => `${action} ${target} ${error?.message ?? 'ok'}`).slice(-2)).toEqual([
      'StartContainer side no',
      'StartContainer i ok',
    ]);
  });

  it('runs an ephemeral container once, in the process namespace of its target', async () => {
    const { node, memory, clock } = setUp();
    memory.script('dbg', { exit: {} });
    const pod = buildPod({ name: 'p', containers: [{ name: 'a' }] });
    await node.sync(pod);
    const debugged = buildPod({ name: 'p', containers: [{ name: 'a' }], ephemeralContainers: [{ name: 'dbg', targetContainerName: 'a' }] });
    await node.sync(debugged);
    await clock.advance(1000);
    await node.sync(debugged);
    expect(memory.containers('dbg')).toHaveLength(1);
    expect(memory.containers('dbg')[0]?.config.linux?.securityContext?.namespaceOptions).toMatchObject({
      pid: 'TARGET',
      targetId: memory.containers('a')[0]?.id,
    });
  });
});

it('a pending start of a stopped agent has no effect after the next agent has re-created the container', async () => {
  const { clock, memory, node } = setUp();
  const pod = buildPod({ name: 'web', containers: [{ name: 'a' }] });
  memory.fault({
    method: 'startContainer',
    times: 1,
    answer: async (_request, proceed) => {
      await clock.sleep(5_000);
      return proceed();
    },
  });
  const given = node.sync(pod).catch(() => {});
  await clock.advance(1_000);
  expect(memory.containers().map(({ state }) => state)).toEqual(['created']);

  const next = createTestNode(memory, clock);
  expect((await next.sync(pod)).error).toBeUndefined();
  await clock.advance(10_000);
  await given;
  expect(memory.containers().map(({ attempt, state }) => [attempt, state])).toEqual([[1, 'running']]);
});

it('a container that failed to start stays until it is garbage-collected', async () => {
  const { memory, node } = setUp();
  const pod = buildPod({ name: 'web', containers: [{ name: 'a' }] });
  memory.fault({ method: 'startContainer', times: 1, error: 'no such command' });
  const { results } = await node.sync(pod);
  expect(results.find(({ action }) => action === 'StartContainer')?.error?.message).toContain('no such command');
  await node.sync(pod);
  expect(memory.containers().map(({ attempt, state }) => [attempt, state])).toEqual([
    [0, 'created'],
    [1, 'running'],
  ]);
});
