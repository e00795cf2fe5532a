import type { Pod } from '@nodeagent/api';
import type { CreateContainerRequest } from '@nodeagent/cri-api';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { RuntimeManagerOptions } from '../options.js';
import { createTestNode } from '../test-node.js';

function setUp(options: Partial<RuntimeManagerOptions>) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const recorder = createRecordingRecorder();
  const node = createTestNode(memory, clock, { recorder, ...options });
  const created = () => memory.callsOf('createContainer').map(({ request }) => (request as CreateContainerRequest).config);
  const warnings = () => recorder.lines.filter((line) => line.startsWith('Warning'));
  return { clock, memory, node, created, warnings };
}

const pod = buildPod({ name: 'p', uid: 'u', containers: [{ name: 'app', image: 'app:1', env: [], command: ['run', '$(GPU)'] }] });

describe('device options', () => {
  it('add devices, mounts, annotations, and variables that the spec does not set', async () => {
    const { node, created } = setUp({
      deviceOptions: async (_pod, { name }) => ({
        devices: [{ containerPath: '/dev/gpu', hostPath: '/dev/gpu0', permissions: 'rw' }],
        cdiDevices: [{ name: 'vendor/gpu=0' }],
        mounts: [{ containerPath: '/usr/lib/gpu', hostPath: '/opt/gpu', readonly: true }],
        environment: { GPU: `${name}-0`, PATH: '/gpu' },
        annotations: { gpu: '0' },
      }),
      mountedVolumes: () => new Map([['raw', { hostPath: '/dev/raw', readOnly: false, block: true }]]),
    });
    const container = { ...pod.spec?.containers[0], name: 'app', volumeDevices: [{ name: 'raw', devicePath: '/dev/xvda' }] };
    await node.sync({ ...pod, spec: { ...pod.spec, containers: [container] } });
    const [config] = created();
    expect(config).toMatchObject({
      devices: [
        { containerPath: '/dev/gpu', hostPath: '/dev/gpu0' },
        { containerPath: '/dev/xvda', hostPath: '/dev/raw', permissions: 'mrw' },
      ],
      cdiDevices: [{ name: 'vendor/gpu=0' }],
      command: ['run', 'app-0'],
      annotations: { gpu: '0' },
    });
    expect(config?.mounts?.[0]?.containerPath).toBe('/usr/lib/gpu');
    const envs = Object.fromEntries((config?.envs ?? []).map(({ key, value }) => [key, new TextDecoder().decode(value)]));
    expect(envs).toMatchObject({ GPU: 'app-0', PATH: '/bin' });
  });

  it('fail the container with CreateContainerConfigError if they are rejected', async () => {
    const { node, memory, warnings } = setUp({ deviceOptions: () => Promise.reject(new Error('endpoint has been stopped')) });
    const { results } = await node.sync(pod);
    expect(results.find(({ target }) => target === 'app')?.error).toMatchObject({ code: 'CreateContainerConfigError' });
    expect(warnings()).toEqual(['Warning Failed Error: endpoint has been stopped']);
    expect(memory.containers()).toEqual([]);
  });
});

describe('the lifecycle hooks of a container', () => {
  it('are called before its creation, before its start and after its stop', async () => {
    const calls: string[] = [];
    const { node, memory, created, clock } = setUp({
      containerLifecycle: {
        preCreate: async (_pod, { name }) => {
          calls.push(`preCreate ${name}, ${memory.containers().length} there`);
          return { cpusetCpus: '1-2', cpusetMems: '0' };
        },
        preStart: async (_pod, { name }, id) => void calls.push(`preStart ${name} ${memory.containers()[0]?.id === id}`),
        postStop: async (id) => void calls.push(`postStop ${memory.containers().some((each) => each.id === id)}`),
      },
      hasExclusiveCpus: (_pod, { name }) => name === 'app',
    });
    memory.script('app', { exit: { afterMs: 1000 } });
    const limited = { ...pod.spec?.containers[0], name: 'app', resources: { limits: { cpu: '2', memory: '64Mi' } } };
    const running: Pod = { ...pod, spec: { ...pod.spec, containers: [limited] } };
    await node.sync(running);
    expect(calls).toEqual(['preCreate app, 0 there', 'preStart app true']);
    expect(created()[0]?.linux?.resources).toMatchObject({
      cpusetCpus: '1-2',
      cpusetMems: '0',
      cpuQuota: -1n,
      memoryLimitInBytes: 67_108_864n,
    });
    await clock.advance(1000);
    await node.sync(running);
    expect(calls.slice(2, 4)).toEqual(['postStop true', 'preCreate app, 1 there']);
    await node.manager.deleteContainer(memory.containers().find(({ state }) => state === 'exited')?.id ?? '');
    expect(calls.at(-1)).toBe('postStop true');
  });

  it.each([
    ['preCreate', 'PreCreateHookError', 'Warning Failed Internal PreCreateContainer hook failed: no CPUs', 0],
    ['preStart', 'PreStartHookError', 'Warning Failed Internal PreStartContainer hook failed: no CPUs', 1],
  ])('fail the container with a separate reason in %s', async (hook, code, warning, containers) => {
    const { node, memory, warnings } = setUp({ containerLifecycle: { [hook]: () => Promise.reject(new Error('no CPUs')) } });
    const { results } = await node.sync(pod);
    expect(results.find(({ target }) => target === 'app')?.error).toMatchObject({ code, message: 'no CPUs', retryable: true });
    expect(warnings()).toEqual([warning]);
    expect(memory.callsOf('startContainer')).toEqual([]);
    expect(memory.containers()).toHaveLength(containers);
  });

  it('do not block a restart or removal if postStop fails', async () => {
    const { node, memory, clock } = setUp({ containerLifecycle: { postStop: () => Promise.reject(new Error('broken')) } });
    memory.script('app', { exit: {} });
    await node.sync(pod);
    await clock.advance(1);
    expect((await node.sync(pod)).results.map(({ error }) => error)).toEqual([undefined, undefined]);
    await node.manager.deleteContainer(memory.containers()[0]?.id ?? '');
  });
});

describe('dynamic resources', () => {
  it('are prepared before the sandbox; a failure ends the sync without an error', async () => {
    let ready = false;
    const { node, memory, warnings } = setUp({
      prepareDynamicResources: async () => {
        expect(memory.sandboxes()).toEqual([]);
        if (!ready) throw new Error('claim is not allocated');
      },
    });
    expect(await node.sync(pod)).toMatchObject({ results: [] });
    expect(warnings()).toEqual(['Warning FailedPrepareDynamicResources Failed to prepare dynamic resources: claim is not allocated']);
    expect(memory.sandboxes()).toEqual([]);
    ready = true;
    expect((await node.sync(pod)).error).toBeUndefined();
    expect(memory.containers()).toHaveLength(1);
  });
});
