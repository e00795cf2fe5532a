import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ContainerConfig, IDMapping, Mount, NamespaceOption } from '@nodeagent/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestRegistry, testImage } from './test-image.js';
import { canRunContainers, installedRuntimes } from './test-machine.js';
import { type MachinePods, useMachinePods } from './test-machine-pods.js';

const first = 300_000;
const ids: IDMapping[] = [{ hostId: first, containerId: 0, length: 65_536 }];
const userNamespace: NamespaceOption = { pid: 'CONTAINER', usernsOptions: { mode: 'POD', uids: ids, gids: ids } };

/** Pods whose users are those of a namespace, unless a test requests others. */
function usersOf(pods: MachinePods) {
  const runSandbox = (namespaceOptions = userNamespace, sysctls: Record<string, string> = {}) =>
    pods.runSandbox(namespaceOptions, { linux: { sysctls } });
  const start = (sandbox: string, script: string, { linux, ...more }: ContainerConfig = {}, namespaceOptions = userNamespace) =>
    pods.start(sandbox, script, { ...more, linux: { securityContext: { namespaceOptions, ...linux?.securityContext } } });
  const outputOf = async (sandbox: string, script: string, more?: ContainerConfig, namespaceOptions?: NamespaceOption) => {
    await pods.exited(await start(sandbox, script, more, namespaceOptions));
    return pods.logLines().map((line) => line.replace(/^std(out|err) F /, ''));
  };
  return { runSandbox, start, outputOf };
}

describe.runIf(canRunContainers)('a pod in a user namespace', () => {
  const pods = useMachinePods({ beforeEach, afterEach });
  const { runSandbox, start, outputOf } = usersOf(pods);

  it('has its IDs in all namespaces of the pod, and owns them', async () => {
    const id = await runSandbox(userNamespace, { 'net.core.somaxconn': '77', 'kernel.msgmax': '4000', 'kernel.domainname': 'example' });
    const script = [
      'cat /proc/self/uid_map | tr -s " "',
      'id -u; hostname',
      'stat -c "%u:%g %n" /etc/hostname /etc/resolv.conf /dev/shm /proc/1/stat',
      'cat /proc/sys/net/core/somaxconn /proc/sys/kernel/msgmax /proc/sys/kernel/domainname',
      'ip addr add 10.9.8.1/32 dev lo && echo network; hostname other && echo host name',
      'touch /dev/shm/file /tmp/file; stat -c %u /dev/shm/file /tmp/file',
    ].join('; ');
    const capabilities = { addCapabilities: ['NET_ADMIN', 'SYS_ADMIN'] };
    const output = await outputOf(id, script, { linux: { securityContext: { capabilities } } });
    expect(output).toEqual([
      ' 0 300000 65536',
      ...['0', 'web-1'],
      ...['/etc/hostname', '/etc/resolv.conf', '/dev/shm', '/proc/1/stat'].map((path) => `0:0 ${path}`),
      ...['77', '4000', 'example'],
      ...['network', 'host name'],
      ...['0', '0'],
    ]);
    const shm = join(pods.machine.folder, 'state/sandboxes', id, 'shm/file');
    expect(statSync(shm).uid).toBe(first);
  });

  it('may be in the network of the node, without rights in it', async () => {
    const host: NamespaceOption = { ...userNamespace, network: 'NODE' };
    const script = 'cat /proc/self/uid_map | tr -s " "; hostname; ip addr add 10.9.8.1/32 dev lo 2>&1; touch /sys/x 2>&1';
    const capabilities = { addCapabilities: ['NET_ADMIN', 'SYS_ADMIN'] };
    const output = await outputOf(await runSandbox(host), script, { linux: { securityContext: { capabilities } } }, host);
    expect(output.slice(0, 2)).toEqual([' 0 300000 65536', hostname()]);
    expect(output.slice(2).join('')).toMatch(/Operation not permitted.*Read-only file system/);
  });

  it('may share processes, has commands and stats, and is adopted by the next agent', async () => {
    const shared: NamespaceOption = { ...userNamespace, pid: 'POD' };
    const podSandboxId = await runSandbox(shared);
    const containerId = await start(podSandboxId, 'sleep 1000', {}, shared);
    const { stats } = await pods.oci.runtime.containerStats({ containerId });
    expect(stats?.memory?.workingSetBytes?.value).toBeGreaterThan(0n);
    const { status } = await pods.oci.runtime.podSandboxStatus({ podSandboxId });
    expect(status?.linux?.namespaces?.options?.usernsOptions).toEqual(shared.usernsOptions);
    await pods.restart();
    const cmd = ['sh', '-c', 'head -c 5 /proc/1/cmdline; cat /proc/self/uid_map | tr -s " "; id -u'];
    const { stdout } = await pods.oci.runtime.execSync({ containerId, cmd });
    expect(Buffer.from(stdout).toString()).toBe('/init 0 300000 65536\n0\n');
    const pid = readFileSync(join(pods.machine.folder, 'state/containers', containerId, 'pidfile'), 'utf8');
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s300000\s/m);
  });

  it('has volumes with the owners of its IDs, also in folders that are closed to it', async () => {
    const hostPath = join(pods.machine.folder, 'closed/volume');
    mkdirSync(hostPath, { recursive: true, mode: 0o700 });
    writeFileSync(join(hostPath, 'file'), '');
    const mounts: Mount[] = [{ hostPath, containerPath: '/mnt', uidMappings: ids, gidMappings: ids }];
    expect(await outputOf(await runSandbox(), 'touch /mnt/new; stat -c "%u:%g" /mnt /mnt/*', { mounts })).toEqual(['0:0', '0:0', '0:0']);
    expect(statSync(join(hostPath, 'new')).uid).toBe(0);
  });

  it.each(['host', 'app'])('has the image %s with the owners of its IDs, and a writable layer', async (name) => {
    const registry = await startTestRegistry();
    try {
      registry.add('app', testImage({ files: { 'etc/config': 'text' }, programs: ['sh', 'stat', 'touch', 'cat'] }));
      const app = `${registry.host}/app:1`;
      await pods.oci.image.pullImage({ image: { image: app } });
      const volume: Mount = {
        containerPath: '/mnt',
        image: { image: app },
        imageSubPath: 'etc',
        readonly: true,
        uidMappings: ids,
        gidMappings: ids,
      };
      const more = { image: { image: name === 'host' ? name : app }, mounts: [volume] };
      const script = 'touch /new /etc/new; stat -c "%u:%g %n" / /etc /new /etc/new /bin/sh /mnt/config; cat /mnt/config; touch /mnt/x 2>&1';
      const owned = ['/', '/etc', '/new', '/etc/new', '/bin/sh', '/mnt/config'].map((path) => `0:0 ${path}`);
      const output = await outputOf(await runSandbox(), script, more);
      expect(output.slice(0, 6)).toEqual(owned);
      expect(output.slice(6).join('')).toMatch(/text.*Read-only file system/);
    } finally {
      await registry.close();
    }
  });

  it('is refused in a folder that its users may not enter', async () => {
    chmodSync(pods.machine.folder, 0o700);
    await expect(runSandbox()).rejects.toMatchObject({
      message: `a user namespace cannot have files below ${pods.machine.folder}: its users may not enter that folder`,
      hint: expect.stringContaining('chmod o+x'),
    });
    expect(readdirSync(join(pods.machine.folder, 'state/sandboxes'))).toEqual([]);
  });

  it.each(['TARGET', 'CONTAINER'] as const)('is refused with the mode %s', async (mode) => {
    await expect(runSandbox({ ...userNamespace, usernsOptions: { ...userNamespace.usernsOptions, mode } })).rejects.toMatchObject({
      code: 'CRI_INVALID_ARGUMENT',
      message: `userns_options.mode: must be POD or NODE, not ${mode}`,
    });
  });

  it('is a feature of the runtime', async () => {
    const { runtimeHandlers, features } = await pods.oci.runtime.status({});
    expect(runtimeHandlers?.[0]?.features?.userNamespaces).toBe(true);
    expect(features?.userNamespacesHostNetwork).toBe(true);
  });
});

describe.runIf(canRunContainers && installedRuntimes.includes('runc'))('a pod in a user namespace on runc', () => {
  const pods = useMachinePods({ beforeEach, afterEach }, undefined, 'runc');
  const { runSandbox, start, outputOf } = usersOf(pods);

  it('is refused volumes by runc before 1.2, which cannot map their IDs', async () => {
    expect((await pods.oci.runtime.status({})).runtimeHandlers?.[0]?.features?.userNamespaces).toBe(false);
    const sandbox = await runSandbox();
    expect(await outputOf(sandbox, 'cat /proc/self/uid_map | tr -s " "; touch /new; stat -c %u /new')).toEqual([' 0 300000 65536', '0']);
    const mounts: Mount[] = [{ hostPath: pods.machine.folder, containerPath: '/mnt', uidMappings: ids, gidMappings: ids }];
    await expect(start(sandbox, '', { mounts, metadata: { name: 'other', attempt: 0 } })).rejects.toThrow(
      'the runtime cannot map the ids of mounts',
    );
  });
});
