import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { CriRuntime } from '../cri/methods.js';
import { createMemoryFiles } from '../memory-files.js';
import { createTestNode } from '../test-node.js';
import { blockDevices } from './container-devices.js';
import { type MountInputs, type MountSources, makeMounts } from './mounts.js';

function sources(overrides: Partial<MountSources> = {}) {
  const files = createMemoryFiles();
  const all: MountSources = {
    files,
    random: () => 0.5,
    podDir: (uid) => `/pods/${uid}`,
    clusterDomain: 'cluster.local',
    nodeHostsFile: '/etc/hosts',
    mountedVolumes: () =>
      new Map([
        ['data', { hostPath: '/volumes/data', readOnly: false }],
        ['config', { hostPath: '/volumes/config', readOnly: true, selinuxRelabel: true }],
        ['disk', { hostPath: '/dev/disk', readOnly: true, block: true }],
        ['raw', { hostPath: '/dev/raw', readOnly: false, block: true }],
      ]),
    ...overrides,
  };
  return { files, all };
}

const make = async (all: MountSources, spec: object, container: object, podIps = ['10.0.0.7'], inputs: Partial<MountInputs> = {}) => {
  const pod = buildPod({ name: 'p', uid: 'u', ...spec, containers: [{ name: 'c', terminationMessagePath: '', ...container }] });
  const [first] = pod.spec?.containers ?? [];
  const environment = [{ name: 'N', value: 'n1' }];
  return (await makeMounts(all, pod, first ?? { name: 'c' }, { podIps, environment, ...inputs })).mounts;
};

it('binds sub-paths again right before the container is created, because their volumes may have been updated', async () => {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const calls: string[] = [];
  const createContainer: CriRuntime['createContainer'] = async (request, options) => {
    calls.push('createContainer');
    return memory.runtime.createContainer(request, options);
  };
  const node = createTestNode({ ...memory, runtime: { ...memory.runtime, createContainer } }, clock, {
    mountedVolumes: () => new Map([['data', { hostPath: '/volumes/data', readOnly: false }]]),
    prepareSubPath: async ({ subPath }) => {
      calls.push(`bind ${subPath}`);
      return `/bound/${subPath}`;
    },
    containerLifecycle: {
      preCreate: async () => {
        calls.push('preCreate');
        return {};
      },
    },
  });
  const volumeMounts = [
    { name: 'data', mountPath: '/a', subPath: 'a' },
    { name: 'data', mountPath: '/whole' },
    { name: 'data', mountPath: '/b', subPath: 'b' },
  ];
  await node.sync(buildPod({ name: 'p', containers: [{ name: 'c', volumeMounts }] }));
  expect(calls).toEqual(['bind a', 'bind b', 'preCreate', 'bind a', 'bind b', 'createContainer']);
});

describe('makeMounts', () => {
  it('mounts volumes, read-only if the mount or the volume is read-only', async () => {
    const mounts = await make(
      sources().all,
      {},
      {
        volumeMounts: [
          { name: 'data', mountPath: '/data', mountPropagation: 'HostToContainer' },
          { name: 'data', mountPath: 'relative', readOnly: true },
          { name: 'config', mountPath: '/config', mountPropagation: 'Bidirectional' },
        ],
      },
    );
    expect(mounts.slice(0, 3)).toEqual([
      { containerPath: '/data', hostPath: '/volumes/data', readonly: false, propagation: 'PROPAGATION_HOST_TO_CONTAINER' },
      { containerPath: '/relative', hostPath: '/volumes/data', readonly: true, propagation: 'PROPAGATION_PRIVATE' },
      { containerPath: '/config', hostPath: '/volumes/config', readonly: true, propagation: 'PROPAGATION_BIDIRECTIONAL' },
    ]);
  });

  it('writes a hosts file for a pod with an address, unless the container mounts another one', async () => {
    const { files, all } = sources();
    expect(await make(all, { hostAliases: [{ ip: '1.2.3.4', hostnames: ['foo'] }] }, {})).toEqual([
      { containerPath: '/etc/hosts', hostPath: '/pods/u/etc-hosts' },
    ]);
    expect(files.entries.get('/pods/u/etc-hosts')).toMatch(/10\.0\.0\.7\tp\n.*1\.2\.3\.4\tfoo\n$/s);
    expect(await make(all, {}, {}, [])).toEqual([]);
    expect(await make(all, {}, { volumeMounts: [{ name: 'data', mountPath: '/etc/hosts' }] })).toHaveLength(1);
  });

  it("gives a pod on the host's network the node's hosts file", async () => {
    const { files, all } = sources();
    files.append('/etc/hosts', '127.0.0.1 node\n');
    await make(all, { hostNetwork: true }, {}, []);
    expect(files.entries.get('/pods/u/etc-hosts')).toBe('# Kubernetes-managed hosts file (host network).\n127.0.0.1 node\n');
  });

  it('creates a file for the termination message', async () => {
    const { files, all } = sources();
    const mounts = await make(all, {}, { terminationMessagePath: '/dev/termination-log' }, []);
    expect(mounts).toEqual([{ containerPath: '/dev/termination-log', hostPath: '/pods/u/containers/c/80000000' }]);
    expect(files.entries.get('/pods/u/containers/c/80000000')).toBe('');
  });

  it('expands variables of a sub-path and passes it to prepareSubPath', async () => {
    const { all } = sources({ prepareSubPath: async ({ volumePath, subPath, mountIndex }) => `${volumePath}#${mountIndex}#${subPath}` });
    const mounts = await make(all, {}, { volumeMounts: [{ name: 'data', mountPath: '/d', subPathExpr: 'x/$(N)' }] }, []);
    expect(mounts[0]?.hostPath).toBe('/volumes/data#0#x/n1');
  });

  it.each([
    ['Enabled', true, true],
    ['IfPossible', true, true],
    ['IfPossible', false, undefined],
    ['Disabled', true, undefined],
    [undefined, true, undefined],
  ])('handles recursiveReadOnly %s with runtime support %s', async (recursiveReadOnly, can, expected) => {
    let asked = 0;
    const canRecursiveReadOnly = async () => {
      asked++;
      return can;
    };
    const mount = { name: 'data', mountPath: '/d', readOnly: true, mountPropagation: 'None', recursiveReadOnly };
    const [made] = await make(sources().all, {}, { volumeMounts: [mount] }, [], { canRecursiveReadOnly });
    expect([made?.readonly, made?.recursiveReadOnly]).toEqual([true, expected]);
    expect(asked).toBe(recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled' ? 0 : 1);
  });

  it("on a node with SELinux relabels the agent's files and volumes that allow it", async () => {
    const volumeMounts = ['data', 'config'].map((name) => ({ name, mountPath: `/${name}` }));
    const container = { volumeMounts, terminationMessagePath: '/log' };
    const relabelled = async (selinux: boolean) =>
      (await make(sources({ selinux }).all, {}, container)).filter((mount) => mount.selinuxRelabel).map((mount) => mount.containerPath);
    expect(await relabelled(true)).toEqual(['/config', '/etc/hosts', '/log']);
    expect(await relabelled(false)).toEqual([]);
  });

  it('passes block volumes as devices', () => {
    const volumes = sources().all.mountedVolumes('u');
    const devices = (...names: string[]) =>
      blockDevices({ name: 'c', volumeDevices: names.map((name) => ({ name, devicePath: `/dev/${name}-c` })) }, volumes);
    expect(devices('raw', 'disk')).toEqual([
      { containerPath: '/dev/raw-c', hostPath: '/dev/raw', permissions: 'mrw' },
      { containerPath: '/dev/disk-c', hostPath: '/dev/disk', permissions: 'r' },
    ]);
    for (const name of ['data', 'missing']) {
      expect(() => devices(name)).toThrow(
        expect.objectContaining({
          code: 'CreateContainerConfigError',
          message: `cannot find volume "${name}" to pass into container "c"`,
        }),
      );
    }
  });

  it.each([
    [{ name: 'missing', mountPath: '/g' }, 'cannot find volume "missing" to mount into container "c"'],
    [{ name: 'data', mountPath: '/d', subPath: 'x' }, 'subPath is not supported: the option prepareSubPath is missing'],
    [{ name: 'data', mountPath: '/d', subPath: '/x' }, 'must not be an absolute path'],
    [{ name: 'data', mountPath: '/d', subPath: 'a/../../x' }, "must not contain '..'"],
    [{ name: 'data', mountPath: '/d', subPathExpr: '$(NOPE)' }, 'missing value for NOPE'],
    [{ name: 'disk', mountPath: '/d' }, 'cannot find volume "disk" to mount into container "c"'],
    [{ name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Enabled' }, 'it is not supported by the runtime'],
    [
      { name: 'data', mountPath: '/d', recursiveReadOnly: 'IfPossible' },
      'volume "data" requested recursive read-only mode, but it is not read-only',
    ],
    [
      { name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'Bidirectional' },
      'it is not compatible with propagation "Bidirectional"',
    ],
    [{ name: 'data', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Yes' }, 'unknown recursive read-only mode "Yes"'],
  ])('rejects %j', async (mount, message) => {
    await expect(make(sources().all, {}, { volumeMounts: [mount] })).rejects.toThrow(message);
  });
});
