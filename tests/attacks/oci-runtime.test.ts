import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { LinuxContainerSecurityContext, MountPropagation, NamespaceOption } from '@nodeagent/cri-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canRunContainers, testRuntimes } from '../../packages/oci-runtime/src/test-machine.js';
import { type OciPods, startOciPods } from './oci-pods.js';

const ids = [{ hostId: 300_000, containerId: 0, length: 65_536 }];
const userNamespace: NamespaceOption = { pid: 'CONTAINER', usernsOptions: { mode: 'POD', uids: ids, gids: ids } };
const defaultProfile: LinuxContainerSecurityContext = { seccomp: { profileType: 'RuntimeDefault' } };
const administrator: LinuxContainerSecurityContext = { capabilities: { addCapabilities: ['SYS_ADMIN'] } };

describe.runIf(canRunContainers).each(testRuntimes)('a container on %s', (ociRuntime) => {
  let pods: OciPods;
  let sandbox: string;
  beforeAll(async () => {
    pods = await startOciPods(ociRuntime);
    sandbox = await pods.runSandbox();
  });
  afterAll(() => pods.close());

  /** Follows `..` as often as a path can have it, from wherever the working folder is. */
  const seek = () => `cat ${'../'.repeat(40)}${pods.secret.slice(1)}/file 2>&1; echo sought`;

  it('overwrites no OCI runtime that enters it, through /proc/PID/exe (CVE-2019-5736)', async () => {
    const facts = () => [createHash('sha256').update(readFileSync(pods.program)).digest('hex'), statSync(pods.program).mtimeMs];
    const before = facts();
    const attacker = `
      const fs = require('node:fs');
      const seen = new Set();
      fs.symlinkSync('/proc/self/exe', '/tmp/entered');
      fs.writeFileSync('/tmp/seen', '');
      for (const own = String(process.pid); ; ) for (const pid of fs.readdirSync('/proc')) {
        if (!/^\\d+$/.test(pid) || pid === own) continue;
        try {
          const exe = '/proc/' + pid + '/exe';
          const target = fs.readlinkSync(exe);
          // crun runs from a read-only mount of itself, which shows as /.
          if (target !== '/' && !/crun|memfd/.test(target)) continue;
          if (!seen.has(target)) fs.appendFileSync('/tmp/seen', target + '\\n');
          seen.add(target);
          const handle = fs.openSync(exe, 'r');
          for (let each = 0; each < 200; each++) try { fs.writeFileSync('/proc/self/fd/' + handle, 'overwritten'); } catch {}
          fs.closeSync(handle);
        } catch {}
      }`;
    const context = { capabilities: { addCapabilities: ['SYS_PTRACE'] } };
    const id = await pods.start({ script: '', command: [process.execPath, '-e', attacker], context }, sandbox);
    await expect.poll(() => existsSync(`${pods.rootOf(id)}/tmp/seen`)).toBe(true);
    for (let each = 0; each < 15; each++) await pods.exec(id, '/tmp/entered', '--version').catch(() => '');
    expect(readFileSync(`${pods.rootOf(id)}/tmp/seen`, 'utf8')).not.toBe('');
    await pods.runtime.stopContainer({ containerId: id, timeout: 0n });
    expect(facts()).toEqual(before);
  });

  it('inherits no descriptors but its streams, nor does a command in it', async () => {
    const id = await pods.start({ script: 'sleep 1000' }, sandbox);
    const descriptors = (text: string) => text.trim().split('\n').map(Number).sort();
    expect(descriptors(await pods.exec(id, 'sh', '-c', 'ls /proc/$$/fd'))).toEqual([0, 1, 2]);
    expect(descriptors(await pods.exec(id, 'sh', '-c', 'ls /proc/1/fd'))).toEqual([0, 1, 2]);
  });

  it('works in no folder of the host through a descriptor of the OCI runtime (CVE-2024-21626)', async () => {
    for (let descriptor = 3; descriptor < 16; descriptor++) {
      const attack = { script: seek(), workingDir: `/proc/self/fd/${descriptor}` };
      const output = await pods.outputOf(attack, sandbox).catch(String);
      expect(output).toMatch(/sought|cannot create the container/);
      expect(output).not.toContain('secret of the host');
    }
  });

  it('has a command in it in no folder of the host, also after it replaced its working folder', async () => {
    const id = await pods.start({ script: 'sleep 1000', workingDir: '/tmp/work' }, sandbox);
    const folder = `${pods.rootOf(id)}/tmp/work`;
    for (let descriptor = 3; descriptor < 16; descriptor++) {
      // What the container itself could do.
      rmSync(folder, { recursive: true });
      symlinkSync(`/proc/self/fd/${descriptor}`, folder);
      const output = await pods.exec(id, 'sh', '-c', seek()).catch(String);
      expect(output).toMatch(/sought|failed to exec in container/);
      expect(output).not.toContain('secret of the host');
    }
  });

  it('deceives no command in it by a /proc that it made', async () => {
    const fakes =
      'mkdir -p self/attr self/fd self/ns self/task/1/attr 1/ns; for each in self/attr/exec self/attr/current self/fd/3; do ln -s /tmp/written $each; done';
    const script = `umount -l /proc; mount -t tmpfs fake /proc && cd /proc && ${fakes}; echo ready > /tmp/ready; sleep 1000`;
    const id = await pods.start({ script, context: administrator }, sandbox);
    const run = () => pods.exec(id, 'sh', '-c', `cat /tmp/ready; cat /tmp/written 2>/dev/null; ${seek()}`).catch(String);
    await expect.poll(run).toMatch(/ready\n|failed to exec/);
    expect(await run()).not.toContain('secret of the host');
  });

  it.each([
    ['', {}, undefined],
    [' with the default seccomp profile', defaultProfile, undefined],
    [' with CAP_SYS_ADMIN in a user namespace', administrator, userNamespace],
  ] as const)('sets no release agent of cgroups%s (CVE-2022-0492)', async (_name, context, namespaces) => {
    const marker = join(pods.secret, 'released');
    const mounted = 'for each in memory rdma pids; do mkdir -p /tmp/$each; mount -t cgroup -o $each cgroup /tmp/$each; done';
    const write = `for agent in /tmp/*/release_agent /sys/fs/cgroup/*/release_agent; do echo ${marker} > $agent && echo escaped; done`;
    const script = `unshare -UrmC sh -c '${mounted}; ${write}'; ${mounted}; ${write}; mount -o remount,rw /sys/fs/cgroup/memory; ${write}; echo done`;
    const output = await pods.outputOf({ script, context, ...(namespaces && { namespaces }) }, namespaces ? undefined : sandbox);
    expect(output).toMatch(/done$/m);
    expect(output).not.toContain('escaped');
  });

  it('creates no user namespace under the default seccomp profile, but otherwise', async () => {
    const script = 'unshare --user true && echo created';
    expect(await pods.outputOf({ script, context: defaultProfile }, sandbox)).toMatch('Operation not permitted');
    expect(await pods.outputOf({ script }, sandbox)).toMatch('created');
  });

  it.each([
    ['root', {}, undefined],
    ['root in a user namespace', administrator, userNamespace],
  ] as const)('writes no parameter of the kernel as %s', async (_name, context, namespaces) => {
    const files = ['/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe', '/proc/sys/vm/overcommit_memory', '/proc/sysrq-trigger'];
    const others = ['/proc/irq/default_smp_affinity', '/sys/kernel/uevent_helper', '/sys/power/state', '/proc/kcore', '/proc/fs/x'];
    const known = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    const remount =
      'mount -o remount,rw /proc/sys; mount -o remount,rw /sys; umount /proc/sys; mkdir /tmp/proc; mount -t proc proc /tmp/proc';
    const again =
      'for file in /tmp/proc/sys/kernel/core_pattern /tmp/proc/sysrq-trigger; do [ -e "$file" ] && printf "" >> "$file" && echo escaped $file; done';
    // Opening for writing suffices: a success must not change the machine.
    const script = `${remount}; for file in ${[...files, ...others].join(' ')}; do [ -e "$file" ] && printf "" >> "$file" && echo escaped $file; done; ${again}; echo done`;
    const output = await pods.outputOf({ script, context, ...(namespaces && { namespaces }) }, namespaces ? undefined : sandbox);
    expect(output).toMatch(/done$/m);
    expect(output).not.toContain('escaped');
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(known);
  });

  it.each([
    ['root in a user namespace', {}, userNamespace],
    ['root in a user namespace with shared processes', {}, { ...userNamespace, pid: 'POD' }],
    ['a user', { runAsUser: { value: 1234n }, runAsGroup: { value: 1234n } }, undefined],
  ] as [string, LinuxContainerSecurityContext, NamespaceOption | undefined][])(
    'closes no device of the host as %s',
    async (_name, context, namespaces) => {
      const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);
      const facts = () => devices.map((path) => [statSync(path).uid, statSync(path).gid, (statSync(path).mode & 0o777).toString(8)]);
      const before = facts();
      const script = `chmod 600 ${devices.join(' ')} /proc/self/fd/0 /proc/1/fd/0; chown 7 ${devices.join(' ')} /proc/self/fd/0`;
      const attack = { script: `${script}; echo done; sleep 1000`, context, ...(namespaces && { namespaces }) };
      const id = await pods.start(attack, namespaces ? undefined : sandbox);
      const log = async () => readFileSync((await pods.runtime.containerStatus({ containerId: id })).status?.logPath ?? '', 'utf8');
      await expect.poll(log).toContain('done');
      await pods.exec(id, 'sh', '-c', script);
      expect(facts()).toEqual(before);
    },
  );

  it('opens no device that it was not given', async () => {
    const disk = statSync(execFileSync('findmnt', ['-no', 'SOURCE', '/'], { encoding: 'utf8' }).trim()).rdev;
    const nodes = {
      disk: ['b', disk >> 8, disk & 255],
      mem: ['c', 1, 1],
      kmsg: ['c', 1, 11],
      port: ['c', 1, 4],
      fuse: ['c', 10, 229],
      tun: ['c', 10, 200],
    };
    const open = Object.entries(nodes).map(
      ([name, numbers]) => `mknod /tmp/${name} ${numbers.join(' ')}; head -c 0 /tmp/${name} && echo escaped ${name}`,
    );
    const output = await pods.outputOf({ script: `${open.join('; ')}; mknod /tmp/null c 1 3 && : < /tmp/null && echo null` }, sandbox);
    expect(output).toMatch(/null$/m);
    // runc before 1.2 allows it, whatever its configuration.
    expect(output.replace(ociRuntime === 'runc' ? 'escaped tun' : '', '')).not.toContain('escaped');
    expect(await pods.outputOf({ script: `${open.join('; ')}; ls -A /dev`, namespaces: userNamespace })).not.toContain('escaped');
  });

  it.each([
    ['PROPAGATION_PRIVATE', false],
    ['PROPAGATION_HOST_TO_CONTAINER', false],
    ['PROPAGATION_BIDIRECTIONAL', true],
  ] as [MountPropagation, boolean][])(
    'mounts on the host only with the propagation that allows it: %s',
    async (propagation, reachesHost) => {
      const hostPath = join(pods.folder, 'shared');
      mkdirSync(join(hostPath), { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '--make-rshared', 'shared', hostPath]);
      try {
        mkdirSync(join(hostPath, 'sub'));
        const script =
          'mount -t tmpfs attack /mnt/sub; mount -t tmpfs attack /opt; mount --make-rshared /; mount -t tmpfs attack /srv; echo done';
        const output = await pods.outputOf(
          { script, context: administrator, mounts: [{ hostPath, containerPath: '/mnt', propagation }] },
          sandbox,
        );
        expect(output).toMatch(/done$/m);
        const attacks = readFileSync('/proc/self/mountinfo', 'utf8')
          .split('\n')
          .filter((line) => line.includes(' tmpfs attack '));
        expect(attacks.map((line) => line.split(' ')[4])).toEqual(reachesHost ? [join(hostPath, 'sub')] : []);
      } finally {
        execFileSync('umount', ['--recursive', hostPath]);
      }
    },
  );

  it('reports no other end by files that it names like those of conmon', async () => {
    const script = 'touch /oom /exit /exits /pidfile /conmon.pid; mkdir -p /exit-dir; echo 0 > /exit; exit 9';
    const id = await pods.start({ script }, sandbox);
    const status = async () => (await pods.runtime.containerStatus({ containerId: id })).status;
    await expect.poll(async () => (await status())?.state).toBe('CONTAINER_EXITED');
    expect(await status()).toMatchObject({ exitCode: 9, reason: 'Error' });
  });

  it('changes nothing of the init of its shared process namespace', async () => {
    const namespaces: NamespaceOption = { pid: 'POD' };
    const init = execFileSync('which', ['catatonit'], { encoding: 'utf8' }).trim();
    const before = statSync(init).mtimeMs;
    const script = `ls -l /proc/1/exe; for file in /proc/1/exe /proc/1/root/init /proc/1/root/new /proc/1/cwd/new; do printf "" >> $file && echo escaped; done; kill -9 1; cd /proc/1/cwd && ${seek()}`;
    for (const context of [{ runAsUser: { value: 65_535n } }, { capabilities: { addCapabilities: ['SYS_PTRACE'] } }]) {
      const output = await pods.outputOf({ script, namespaces, context });
      expect(output).toContain('/init');
      expect(output).not.toMatch(/escaped|secret of the host/);
    }
    expect(statSync(init).mtimeMs).toBe(before);
  });
});
