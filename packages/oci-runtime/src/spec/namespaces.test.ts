import type { NamespaceOption } from '@nodeagent/cri-api';
import { describe, expect, it } from 'vitest';
import { containerNamespaces, type NamespaceInput, rootOwner, userMappings } from './namespaces.js';

const paths = { network: '/ns/net', ipc: '/ns/ipc', uts: '/ns/uts', pid: '/ns/pid', user: '/ns/user' };
const usernsOptions = {
  mode: 'POD' as const,
  uids: [{ hostId: 65536, containerId: 0, length: 65536 }],
  gids: [{ hostId: 65536, containerId: 0, length: 65536 }],
};

/** The namespaces as `type` or `type=path`. */
function namespaces(pod: NamespaceOption, changes: Partial<NamespaceInput> = {}): string[] {
  const input = { pod, privileged: false, paths, cgroupVersion: 1 as const, ...changes };
  return containerNamespaces(input).map(({ type, path }) => (path === undefined ? type : `${type}=${path}`));
}

describe('containerNamespaces', () => {
  it('joins those of the pod', () => {
    expect(namespaces({ pid: 'CONTAINER' })).toEqual(['mount', 'network=/ns/net', 'uts=/ns/uts', 'ipc=/ns/ipc', 'pid']);
  });

  it('stays in those of the node', () => {
    expect(namespaces({ network: 'NODE', ipc: 'NODE', pid: 'NODE' })).toEqual(['mount']);
    expect(namespaces({ network: 'NODE', pid: 'CONTAINER' })).toEqual(['mount', 'ipc=/ns/ipc', 'pid']);
  });

  it('shares the processes of the pod or of another container', () => {
    expect(namespaces({})).toContain('pid=/ns/pid');
    const container: NamespaceOption = { pid: 'TARGET', targetId: 'c1' };
    expect(namespaces({ pid: 'CONTAINER' }, { container, targetPid: '/proc/7/ns/pid' })).toContain('pid=/proc/7/ns/pid');
  });

  it('joins the user namespace of the pod', () => {
    expect(namespaces({ pid: 'CONTAINER', usernsOptions })).toContain('user=/ns/user');
    expect(namespaces({ pid: 'CONTAINER', usernsOptions: { mode: 'NODE' } })).not.toContain('user=/ns/user');
  });

  it('refuses a container that requests other IDs than its pod', () => {
    const pod: NamespaceOption = { pid: 'CONTAINER', usernsOptions };
    for (const other of [{ mode: 'NODE' as const }, { ...usernsOptions, uids: [] }, { mode: 'TARGET' as const }]) {
      const container: NamespaceOption = { pid: 'CONTAINER', usernsOptions: other };
      expect(() => namespaces(pod, { container })).toThrow('userns_options: a container has the user namespace of its pod');
    }
    expect(namespaces(pod, { container: { pid: 'CONTAINER' } })).toContain('user=/ns/user');
    expect(namespaces(pod, { container: pod })).toContain('user=/ns/user');
    const onNode: NamespaceOption = { pid: 'CONTAINER', usernsOptions: { mode: 'NODE' } };
    expect(namespaces({ pid: 'CONTAINER' }, { container: onNode })).not.toContain('user=/ns/user');
  });

  it('hides the cgroups of the node on version 2, but not from a privileged container', () => {
    expect(namespaces({}, { cgroupVersion: 2 })).toContain('cgroup');
    expect(namespaces({}, { cgroupVersion: 2, privileged: true })).not.toContain('cgroup');
  });

  it('refuses to run in a namespace of the node in place of a missing one', () => {
    expect(() => namespaces({ pid: 'CONTAINER' }, { paths: { ...paths, network: undefined } })).toThrow(
      'namespace_options: the pod has no network namespace',
    );
    expect(() => namespaces({}, { container: { pid: 'TARGET' } })).toThrow('the pod has no pid namespace');
  });
});

describe('userMappings', () => {
  it('maps the ids of the pod', () => {
    const mapping = { containerID: 0, hostID: 65536, size: 65536 };
    expect(userMappings({ usernsOptions })).toEqual({ uidMappings: [mapping], gidMappings: [mapping] });
    expect(userMappings({})).toBeUndefined();
  });

  it('have an owner on the machine for the files of root', () => {
    expect(rootOwner(userMappings({ usernsOptions }))).toEqual({ uid: 65536, gid: 65536 });
    expect(rootOwner(undefined)).toEqual({ uid: 0, gid: 0 });
  });

  it.each([
    [{ ...usernsOptions, mode: 'CONTAINER' as const }, 'userns_options.mode: must be POD or NODE, not CONTAINER'],
    [{ ...usernsOptions, gids: [] }, 'userns_options: must map user ids and group ids'],
    [{ ...usernsOptions, uids: [{ hostId: 0, containerId: 0, length: 0 }] }, 'userns_options.uids: 0 ids from 0'],
    [{ ...usernsOptions, uids: [{ hostId: 4294967295, containerId: 0, length: 2 }] }, 'are no range of ids'],
  ])('refuses %j', (options, message) => {
    expect(() => userMappings({ usernsOptions: options })).toThrow(message);
  });
});
