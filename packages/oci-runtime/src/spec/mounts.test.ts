import type { Mount } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { containerMounts, type MountInput } from './mounts.js';

const files = { shm: '/run/pod/shm', resolvConf: '/run/pod/resolv.conf', hostname: '/run/pod/hostname' };

const features = { idMappedMounts: true, recursiveReadOnlyMounts: true };

function mounts(requested: readonly Mount[], changes: Partial<MountInput> = {}) {
  return containerMounts({
    mounts: requested,
    features,
    files,
    readonlyFiles: false,
    privileged: false,
    cannotMountSysfs: false,
    ...changes,
  });
}

const find = (requested: readonly Mount[], path: string, changes: Partial<MountInput> = {}) =>
  mounts(requested, changes).find(({ destination }) => destination === path);

const data: Mount = { containerPath: '/data', hostPath: '/host/data' };

describe('containerMounts', () => {
  it('has the default file systems and the files of the pod', () => {
    expect(mounts([]).map(({ destination }) => destination)).toEqual([
      '/proc',
      '/dev',
      '/sys',
      '/dev/pts',
      '/dev/mqueue',
      '/etc/hostname',
      '/etc/resolv.conf',
      '/dev/shm',
      '/sys/fs/cgroup',
    ]);
    expect(find([], '/sys')?.options).toContain('ro');
    expect(find([], '/sys/fs/cgroup')?.options).toContain('ro');
    expect(find([], '/dev/shm')).toMatchObject({ source: '/run/pod/shm', options: ['rbind', 'rprivate', 'rw'] });
    expect(find([], '/etc/hostname', { readonlyFiles: true })?.options).toContain('ro');
  });

  it('lets a privileged container write to sysfs and cgroups', () => {
    for (const path of ['/sys', '/sys/fs/cgroup']) {
      expect(find([], path, { privileged: true })?.options).toContain('rw');
      expect(find([], path, { privileged: true })?.options).not.toContain('ro');
    }
  });

  it('binds sysfs where a user namespace cannot mount it', () => {
    expect(find([], '/sys', { cannotMountSysfs: true })).toMatchObject({ type: 'bind', source: '/sys' });
    expect(find([], '/sys', { cannotMountSysfs: true })?.options).toContain('ro');
  });

  it('mounts parents before what is below them', () => {
    const inner = { ...data, containerPath: '/data/a/b' };
    const paths = mounts([inner, data, { ...data, containerPath: '/sys/fs' }]).map(({ destination }) => destination);
    expect(paths.indexOf('/data')).toBeLessThan(paths.indexOf('/data/a/b'));
    expect(paths.indexOf('/sys')).toBeLessThan(paths.indexOf('/sys/fs'));
    expect(paths.indexOf('/sys/fs')).toBeLessThan(paths.indexOf('/sys/fs/cgroup'));
    expect(mounts([data, { ...data, containerPath: '/' }])[0]?.destination).toBe('/');
  });

  it('replaces defaults, files and volumes by mounts of the request', () => {
    const replacing = ['/etc/hostname', '/dev/shm/', '/v'].map((containerPath) => ({ ...data, containerPath }));
    const result = mounts(replacing, { volumes: { '/v': '/volumes/1', '/w': '/volumes/2' } });
    const sources = (path: string) => result.filter(({ destination }) => destination === path).map(({ source }) => source);
    expect(['/etc/hostname', '/dev/shm', '/v', '/w'].map(sources)).toEqual([
      ['/host/data'],
      ['/host/data'],
      ['/host/data'],
      ['/volumes/2'],
    ]);
  });

  it('leaves out the defaults below a /dev of the request', () => {
    const paths = mounts([{ containerPath: '/dev', hostPath: '/dev' }]).map(({ destination }) => destination);
    expect(paths.filter((path) => path.startsWith('/dev'))).toEqual(['/dev', '/dev/shm']);
  });

  it.each([
    [{}, ['rbind', 'rprivate', 'rw']],
    [{ readonly: true }, ['rbind', 'rprivate', 'ro']],
    [{ readonly: true, recursiveReadOnly: true }, ['rbind', 'rprivate', 'ro', 'rro']],
    [{ propagation: 'PROPAGATION_HOST_TO_CONTAINER' as const }, ['rbind', 'rslave', 'rw']],
    [{ propagation: 'PROPAGATION_BIDIRECTIONAL' as const }, ['rbind', 'rshared', 'rw']],
  ])('gives a mount with %j its options', (change, options) => {
    expect(find([{ ...data, ...change }], '/data')?.options).toEqual(options);
  });

  it('maps ids of a mount', () => {
    const mapping = [{ hostId: 1000, containerId: 0, length: 10 }];
    expect(find([{ ...data, uidMappings: mapping, gidMappings: mapping }], '/data')).toEqual({
      destination: '/data',
      type: 'bind',
      source: '/host/data',
      options: ['rbind', 'rprivate', 'rw', 'idmap'],
      uidMappings: [{ hostID: 1000, containerID: 0, size: 10 }],
      gidMappings: [{ hostID: 1000, containerID: 0, size: 10 }],
    });
  });

  it('takes resolved sources, and images read-only without devices and rights of file owners', () => {
    const image = { containerPath: '/model', readonly: true, image: { image: 'model:1' } };
    expect(find([image], '/model', { sources: { '/model': '/mnt/1/sub' } })).toMatchObject({
      source: '/mnt/1/sub',
      options: ['rbind', 'rprivate', 'ro', 'nosuid', 'nodev'],
    });
    // Its mount has the owners of a user namespace already.
    const ids = [{ hostId: 1000, containerId: 0, length: 10 }];
    const mapped = find([{ ...image, uidMappings: ids, gidMappings: ids }], '/model', { sources: { '/model': '/mnt/1/sub' } });
    expect([mapped?.options.includes('idmap'), mapped?.uidMappings]).toEqual([false, undefined]);
    expect(find([data], '/data', { sources: { '/data': '/resolved' } })?.source).toBe('/resolved');
  });

  it.each([
    [{ ...data, containerPath: 'data' }, 'mounts.container_path: "data" is not an absolute path'],
    [{ ...data, hostPath: '' }, 'mounts.host_path: "" of "/data" is not an absolute path'],
    [{ ...data, image: { image: 'model:1' } }, 'mounts.readonly: the image at "/data" must be read-only'],
    [{ ...data, recursiveReadOnly: true }, 'mounts.recursive_read_only: "/data" must be read-only'],
    [
      { ...data, readonly: true, recursiveReadOnly: true, propagation: 'PROPAGATION_HOST_TO_CONTAINER' as const },
      'must be read-only and have private propagation',
    ],
    [{ ...data, uidMappings: [{ hostId: 0, containerId: 0, length: 1 }] }, 'mounts: "/data" must map both'],
  ])('refuses %j', (mount, message) => {
    expect(() => mounts([mount])).toThrow(message);
  });

  it('checks that propagation works from the resolved source', () => {
    const mountinfo = '20 1 8:1 / / rw - ext4 /dev/vda rw\n21 20 0:5 / /mnt rw shared:1 - tmpfs tmpfs rw\n';
    const mount: Mount = { ...data, propagation: 'PROPAGATION_BIDIRECTIONAL' };
    expect(() => mounts([mount], { mountinfo })).toThrow('mounts.propagation: path "/host/data" is mounted on "/"');
    expect(find([mount], '/data', { mountinfo, sources: { '/data': '/mnt/1' } })?.options).toContain('rshared');
  });

  it('refuses what the runtime would ignore', () => {
    const none = { idMappedMounts: false, recursiveReadOnlyMounts: false };
    const mapping = [{ hostId: 1000, containerId: 0, length: 10 }];
    const mapped = { ...data, uidMappings: mapping, gidMappings: mapping };
    expect(() => mounts([mapped], { features: none })).toThrow('mounts: "/data": the runtime cannot map the ids of mounts');
    expect(() => mounts([{ ...data, readonly: true, recursiveReadOnly: true }], { features: none })).toThrow('that are not recursive');
  });
});
