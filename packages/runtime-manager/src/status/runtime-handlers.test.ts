import { apiStatusError, type Pod } from '@nodeagent/api';
import type { CreateContainerRequest } from '@nodeagent/cri-api';
import { createMemoryRuntime, type MemoryRuntimeOptions } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { lookupRuntimeHandler } from '../config/runtime-class.js';
import { createMemoryFiles } from '../memory-files.js';
import type { ContainerImageRequest, RuntimeManagerOptions } from '../options.js';
import { createTestNode } from '../test-node.js';
import { createUserNamespaces } from '../users/user-namespaces.js';

function setUp(options: Partial<RuntimeManagerOptions>, runtime: Partial<MemoryRuntimeOptions> = {}) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any', ...runtime });
  const recorder = createRecordingRecorder();
  const node = createTestNode(memory, clock, { recorder, ...options });
  const created = () => memory.callsOf('createContainer').map(({ request }) => (request as CreateContainerRequest).config);
  const warnings = () => recorder.lines.filter((line) => line.startsWith('Warning'));
  return { clock, memory, node, created, warnings };
}

const pod = buildPod({ name: 'p', uid: 'u', containers: [{ name: 'app', image: 'app:1' }] });

describe('runtime classes', () => {
  const kata: Pod = { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], runtimeClassName: 'kata' } };
  const runtimeHandlers = [{ name: 'kata-qemu', features: { recursiveReadOnlyMounts: false, userNamespaces: false } }];
  const notFound = apiStatusError({ code: 404, reason: 'NotFound', message: 'runtimeclasses.node.k8s.io "kata" not found' });

  it('set the handler of the sandbox, and of images only with the feature gate', async () => {
    for (const RuntimeClassInImageCriAPI of [false, true]) {
      const asked: (string | undefined)[] = [];
      const ensureImageExists = async ({ image, runtimeHandler }: ContainerImageRequest) => {
        asked.push(runtimeHandler);
        return { imageRef: image };
      };
      const runtimeHandler = lookupRuntimeHandler({ get: async () => ({ handler: 'kata-qemu' }) });
      const options = { runtimeHandler, images: { ensureImageExists }, settings: { featureGates: { RuntimeClassInImageCriAPI } } };
      const { node, memory } = setUp(options, { runtimeHandlers });
      await node.sync(kata);
      expect(memory.callsOf('runPodSandbox')[0]?.request).toMatchObject({ runtimeHandler: 'kata-qemu' });
      expect(asked).toEqual([RuntimeClassInImageCriAPI ? 'kata-qemu' : undefined]);
    }
  });

  it.each([
    [notFound, 'runtimeclasses.node.k8s.io "kata" not found'],
    [new Error('no route to host'), 'failed to lookup RuntimeClass kata: no route to host'],
  ])('that cannot be resolved prevent the sandbox (%#)', async (failure, message) => {
    const { node, memory, warnings } = setUp({ runtimeHandler: lookupRuntimeHandler({ get: () => Promise.reject(failure) }) });
    expect((await node.sync(kata)).error).toMatchObject({ code: 'CreatePodSandboxError', message });
    expect(warnings()).toEqual([`Warning FailedCreatePodSandBox Failed to create pod sandbox: ${message}`]);
    expect(memory.sandboxes()).toEqual([]);
  });

  it('decide whether mounts can be recursively read-only', async () => {
    const mount = { name: 'data', mountPath: '/data', readOnly: true, recursiveReadOnly: 'Enabled' };
    const mounting = (base: Pod): Pod => ({
      ...base,
      spec: { ...base.spec, containers: [{ name: 'app', image: 'app:1', volumeMounts: [mount] }] },
    });
    const options = {
      runtimeHandler: lookupRuntimeHandler({ get: async () => ({ handler: 'kata-qemu' }) }),
      mountedVolumes: () => new Map([['data', { hostPath: '/data', readOnly: false }]]),
    };
    const able = setUp(options, { runtimeHandlers });
    await able.node.sync(mounting(pod));
    expect(able.created()[0]?.mounts?.[0]).toMatchObject({ readonly: true, recursiveReadOnly: true });
    const unable = setUp(options, { runtimeHandlers });
    await unable.node.sync(mounting(kata));
    expect(unable.warnings()).toEqual([
      'Warning Failed Error: volume "data" requested recursive read-only mode, but it is not supported by the runtime',
    ]);
  });
});

describe('a pod with a user namespace', () => {
  const own: Pod = { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], hostUsers: false, securityContext: {} } };
  const userNamespaces = () =>
    createUserNamespaces({ files: createMemoryFiles(), podDir: (uid) => `/pods/${uid}`, listPods: async () => [] });
  const ids = [{ hostId: 65_536, containerId: 0, length: 65_536 }];

  it('has id mappings in its sandbox, its containers and their mounts', async () => {
    const { node, memory, created } = setUp({ userNamespaces: userNamespaces() });
    expect((await node.sync(own)).error).toBeUndefined();
    const options = { usernsOptions: { mode: 'POD', uids: ids, gids: ids } };
    expect(memory.callsOf('runPodSandbox')[0]?.request).toMatchObject({
      config: { linux: { securityContext: { namespaceOptions: options } } },
    });
    expect(created()[0]?.linux?.securityContext?.namespaceOptions).toMatchObject(options);
    const mounts = created()[0]?.mounts ?? [];
    expect(mounts.map(({ uidMappings, gidMappings }) => [uidMappings, gidMappings])).toEqual(mounts.map(() => [ids, ids]));
  });

  it.each([
    ['no mappings are configured', {}, 'hostUsers: false is not supported: no user namespace mappings are configured'],
    [
      'the runtime has no support',
      { userNamespaces: userNamespaces(), runtimeHandler: async () => 'old' },
      "can't set `spec.hostUsers: false`, runtime does not support user namespaces",
    ],
    ['no ids are left', { userNamespaces: { mappings: () => Promise.reject(new Error('none left')) } }, 'none left'],
  ])('does not start if %s', async (_case, options, message) => {
    const { node, memory, warnings } = setUp(options, { runtimeHandlers: [{ name: 'old' }] });
    const old = {
      ...own,
      spec: { ...own.spec, containers: own.spec?.containers ?? [], runtimeClassName: 'runtimeHandler' in options ? 'old' : '' },
    };
    expect((await node.sync(old)).error).toMatchObject({ code: 'CreatePodSandboxError', message });
    expect(warnings()).toEqual([`Warning FailedCreatePodSandBox Failed to create pod sandbox: ${message}`]);
    expect(memory.sandboxes()).toEqual([]);
  });

  it('does not start if the runtime does not report its features', async () => {
    const { node, memory, clock } = setUp({ userNamespaces: userNamespaces() });
    memory.fault({ method: 'status', hang: true });
    const hanging = clock.run(node.sync(own));
    expect((await hanging).error).toMatchObject({ message: 'Status: the runtime did not respond within 120 s' });
    expect(memory.sandboxes()).toEqual([]);
  });
});
