import { describe, expect, it } from 'vitest';
import { podNamespaces } from './pod-namespaces.js';
import { podSysctls } from './sysctls.js';

describe('podSysctls', () => {
  const own = ['network', 'ipc', 'uts'] as const;

  it.each([
    ['net.core.somaxconn', 'net.core.somaxconn', 'network', '/proc/sys/net/core/somaxconn'],
    ['net/core/somaxconn', 'net.core.somaxconn', 'network', '/proc/sys/net/core/somaxconn'],
    ['net.ipv4.conf.eth0/100.rp_filter', 'net.ipv4.conf.eth0/100.rp_filter', 'network', '/proc/sys/net/ipv4/conf/eth0.100/rp_filter'],
    ['net/ipv4/conf/eth0.100/rp_filter', 'net.ipv4.conf.eth0/100.rp_filter', 'network', '/proc/sys/net/ipv4/conf/eth0.100/rp_filter'],
    ['kernel.shm_rmid_forced', 'kernel.shm_rmid_forced', 'ipc', '/proc/sys/kernel/shm_rmid_forced'],
    ['fs.mqueue.msg_max', 'fs.mqueue.msg_max', 'ipc', '/proc/sys/fs/mqueue/msg_max'],
    ['kernel.domainname', 'kernel.domainname', 'uts', '/proc/sys/kernel/domainname'],
  ] as const)('finds %s', (given, name, namespace, path) => {
    expect(podSysctls({ [given]: '1' }, own)).toEqual([{ name, value: '1', namespace, path }]);
  });

  it.each(['vm.swappiness', 'kernel.core_pattern', 'kernel.shmmaxx', 'net.', 'net...x', 'net.//.//.vm.x', 'net/../vm/swappiness', ''])(
    'refuses "%s"',
    (name) => {
      expect(() => podSysctls({ [name]: '1' }, own)).toThrow(`sysctls: "${name}" is not in a namespace of a pod`);
    },
  );

  it('refuses to change the node', () => {
    expect(() => podSysctls({ 'net.core.somaxconn': '1' }, ['ipc'])).toThrow('the pod uses the network namespace of the node');
    expect(() => podSysctls({ 'net.core.somaxconn': '1\0' }, own)).toThrow('has a NUL byte');
  });
});

describe('podNamespaces', () => {
  const sandbox = (namespaceOptions: object, sysctls: Record<string, string> = {}) => ({
    hostname: 'web',
    linux: { securityContext: { namespaceOptions }, sysctls },
  });

  it('pins what the pod has, without a process', () => {
    expect(podNamespaces(sandbox({ pid: 'CONTAINER' }), 'node')).toMatchObject({
      pinned: ['network', 'uts', 'ipc'],
      sharesProcesses: false,
      hostname: 'web',
    });
  });

  it('has the host name of the node in the network of the node', () => {
    expect(podNamespaces(sandbox({ network: 'NODE', pid: 'NODE', ipc: 'NODE' }), 'node')).toEqual({
      pinned: [],
      sharesProcesses: false,
      hostname: 'node',
      sysctls: [],
    });
  });

  it('needs an init for shared processes, which are the default of the CRI', () => {
    expect(podNamespaces(sandbox({}), 'node').sharesProcesses).toBe(true);
    expect(podNamespaces(sandbox({ pid: 'POD' }), 'node').sharesProcesses).toBe(true);
  });

  it('opens ports and ping to all users, unless the request differs', () => {
    const values = (config: Parameters<typeof podNamespaces>[0]) =>
      podNamespaces(config, 'node').sysctls.map(({ name, value }) => `${name}=${value}`);
    expect(values(sandbox({}, { 'net.ipv4.ip_unprivileged_port_start': '80' }))).toEqual([
      'net.ipv4.ip_unprivileged_port_start=80',
      'net.ipv4.ping_group_range=0 2147483647',
    ]);
    const ids = [{ hostId: 1, containerId: 0, length: 1 }];
    const inUserNamespace = podNamespaces(sandbox({ usernsOptions: { mode: 'POD', uids: ids, gids: ids } }), 'node');
    expect(inUserNamespace.pinned[0]).toBe('user');
    expect(inUserNamespace.sysctls.map(({ name }) => name)).toEqual(['net.ipv4.ip_unprivileged_port_start']);
  });
});
