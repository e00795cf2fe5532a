import type { ContainerConfig, LinuxContainerSecurityContext, PodSandboxConfig } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { type ContainerSpecInput, containerSpec } from './container-spec.js';
import { parseImageProcess } from './image-process.js';
import { infraSpec } from './infra-spec.js';
import type { OciMachine } from './machine.js';

const machine: OciMachine = {
  ociVersion: '1.0.0',
  features: { idMappedMounts: true, recursiveReadOnlyMounts: true },
  architecture: 'amd64',
  hostname: 'node',
  capabilities: ['CAP_CHOWN', 'CAP_KILL', 'CAP_SYS_ADMIN'],
  cgroups: { version: 1, driver: 'cgroupfs', controllers: ['cpu', 'memory'], hasSwap: false },
  hasSeccomp: true,
};
const namespaces = { network: '/ns/net', ipc: '/ns/ipc', uts: '/ns/uts', user: '/ns/user' };
const ids = [{ hostId: 100000, containerId: 0, length: 65536 }];

const sandboxOf = (securityContext: NonNullable<PodSandboxConfig['linux']>['securityContext'] = {}): PodSandboxConfig => ({
  metadata: { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 },
  hostname: 'web',
  linux: { cgroupParent: '/kubepods/pod1', securityContext: { namespaceOptions: { pid: 'CONTAINER' }, ...securityContext } },
});

const input = (context: LinuxContainerSecurityContext = {}, changes: Partial<ContainerSpecInput> = {}): ContainerSpecInput => ({
  id: 'c1',
  config: { metadata: { name: 'main', attempt: 0 }, command: ['sh'], linux: { securityContext: context } } satisfies ContainerConfig,
  sandbox: sandboxOf(),
  sandboxId: 's1',
  image: parseImageProcess('{}'),
  rootfs: '/run/c1/rootfs',
  users: { passwd: '', group: '' },
  namespaces,
  files: { shm: '/run/s1/shm' },
  machine,
  ...changes,
});

describe('containerSpec', () => {
  it('runs a container with the defaults', () => {
    const spec = containerSpec(input());
    expect(spec).toMatchObject({
      ociVersion: '1.0.0',
      root: { path: '/run/c1/rootfs', readonly: false },
      process: { args: ['sh'], cwd: '/', terminal: false, user: { uid: 0, gid: 0 }, noNewPrivileges: false, oomScoreAdj: 0 },
      linux: { cgroupsPath: '/kubepods/pod1/c1', devices: [] },
    });
    expect(spec.process.env).toContain('HOSTNAME=web');
    expect(spec.process.capabilities.bounding).toEqual(['CAP_CHOWN', 'CAP_KILL']);
    expect(JSON.parse(JSON.stringify(spec))).toStrictEqual(spec);
  });

  it('confines a privileged container by nothing, if the pod is privileged', () => {
    const allDevices = [{ path: '/dev/vda', type: 'b' as const, major: 254, minor: 0 }];
    const context = { privileged: true, seccomp: {}, maskedPaths: ['/proc/kcore'] };
    const { process, linux } = containerSpec(input(context, { sandbox: sandboxOf({ privileged: true }), allDevices }));
    expect(process.capabilities.bounding).toEqual(machine.capabilities);
    expect(linux).toMatchObject({ devices: allDevices, maskedPaths: [], readonlyPaths: [] });
    expect(linux.seccomp).toBeUndefined();
    expect(linux.resources.devices).toEqual([{ allow: true, access: 'rwm' }]);
    expect(() => containerSpec(input(context))).toThrow('privileged: no privileged container allowed in sandbox');
  });

  it('has a scope of systemd below the slice of the pod, without a cgroup of crun below it', () => {
    const systemd: OciMachine = { ...machine, cgroups: { ...machine.cgroups, driver: 'systemd' } };
    const sandbox = { ...sandboxOf({}), linux: { cgroupParent: '/kubepods.slice/kubepods-pod1.slice' } };
    const { linux, annotations } = containerSpec(input({ namespaceOptions: { pid: 'CONTAINER' } }, { machine: systemd, sandbox }));
    expect(linux.cgroupsPath).toBe('kubepods-pod1.slice:nodeagent:c1');
    expect(annotations).toMatchObject({ 'run.oci.systemd.subgroup': '' });
    expect(containerSpec(input()).annotations).not.toHaveProperty('run.oci.systemd.subgroup');
  });

  it('leaves out that there is no CPU limit, which crun 1.8 cannot write', () => {
    const quotaOf = (cpuQuota: bigint) => {
      const config = { ...input().config, linux: { resources: { cpuQuota, cpuPeriod: 100_000n } } };
      const cgroups = { ...machine.cgroups, controllers: ['cpu'] };
      return containerSpec(input({}, { config, machine: { ...machine, cgroups } })).linux.resources.cpu;
    };
    expect([quotaOf(-1n), quotaOf(5_000n)]).toEqual([{ period: 100_000 }, { quota: 5_000, period: 100_000 }]);
  });

  it('filters system calls by the capabilities of the container', () => {
    const allowed = (context: LinuxContainerSecurityContext) =>
      containerSpec(input({ seccomp: {}, ...context })).linux.seccomp?.syscalls?.[0]?.names ?? [];
    expect(allowed({})).not.toContain('mount');
    expect(allowed({ capabilities: { addCapabilities: ['SYS_ADMIN'] } })).toContain('mount');
  });

  it('maps users, and binds sysfs in the network of the node', () => {
    const usernsOptions = { mode: 'POD' as const, uids: ids, gids: ids };
    const { linux, mounts, process } = containerSpec(
      input({}, { sandbox: sandboxOf({ namespaceOptions: { network: 'NODE', pid: 'CONTAINER', usernsOptions } }) }),
    );
    expect(linux.namespaces).toContainEqual({ type: 'user', path: '/ns/user' });
    expect(linux.uidMappings).toEqual([{ containerID: 0, hostID: 100000, size: 65536 }]);
    expect(mounts.find(({ destination }) => destination === '/sys')?.type).toBe('bind');
    expect(process.env).toContain('HOSTNAME=node');
  });

  it('refuses NUL bytes, whose text before them the OCI runtime would take', () => {
    const config = (change: ContainerConfig) => ({ ...input({}), config: { ...input({}).config, ...change } });
    expect(() => containerSpec(config({ mounts: [{ containerPath: '/a\0b', hostPath: '/tmp' }] }))).toThrow(
      /^mounts\.\d+\.destination: must have no NUL byte/,
    );
    const masked = { maskedPaths: ['/proc/\0'] };
    expect(() => containerSpec(input(masked))).toThrow('linux.maskedPaths.0: must have no NUL byte');
  });

  it('labels process and files, from the context of the container or of the pod', () => {
    const selinux = { user: 'u', role: 'r', processType: 't', fileType: 'f', level: 's0:c1,c2' };
    const sandbox = sandboxOf({ selinuxOptions: { level: 's0:c7' } });
    const ofPod = containerSpec(input({}, { machine: { ...machine, selinux }, sandbox }));
    expect([ofPod.process.selinuxLabel, ofPod.linux.mountLabel]).toEqual(['u:r:t:s0:c7', 'u:object_r:f:s0:c7']);
    const own = containerSpec(input({ selinuxOptions: { type: 'x' } }, { machine: { ...machine, selinux }, sandbox }));
    expect(own.process.selinuxLabel).toBe('u:r:x:s0:c1,c2');
  });
});

describe('infraSpec', () => {
  it('runs an init without privileges in the namespaces of the pod', () => {
    const spec = infraSpec({
      id: 's1',
      sandbox: sandboxOf({ namespaceOptions: { pid: 'POD' } }),
      rootfs: '/run/s1/rootfs',
      init: '/usr/bin/catatonit',
      paths: namespaces,
      machine: { ...machine, minOomScoreAdj: 0 },
    });
    expect(spec).toMatchObject({
      root: { readonly: true },
      process: { args: ['/init', '-P'], user: { uid: 65535, gid: 65535 }, noNewPrivileges: true, oomScoreAdj: 0 },
      linux: { cgroupsPath: '/kubepods/pod1/s1', resources: { cpu: { shares: 2 } } },
    });
    expect(spec.process.capabilities.bounding).toEqual([]);
    expect(spec.linux.namespaces).toEqual([
      { type: 'mount' },
      { type: 'network', path: '/ns/net' },
      { type: 'uts', path: '/ns/uts' },
      { type: 'ipc', path: '/ns/ipc' },
      { type: 'pid' },
    ]);
    expect(spec.mounts.find(({ destination }) => destination === '/init')).toMatchObject({ source: '/usr/bin/catatonit' });
  });
});
