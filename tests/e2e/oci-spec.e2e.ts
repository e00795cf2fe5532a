import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerConfig, LinuxContainerSecurityContext, NamespaceOption, PodSandboxConfig } from '@nodeagent/cri-api';
import {
  type ContainerSpecInput,
  cdiEdits,
  containerSpec,
  type HostDevice,
  infraSpec,
  type OciMachine,
  type OciSpec,
  type PodNamespacePaths,
  parseImageProcess,
  readCdiDevices,
  requestedCdiDevices,
} from '@nodeagent/oci-runtime/decisions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cgroupRootOf } from '../support/agent/cgroup-roots.js';
import { makeRootfs, pinNamespaces, runBundle, startBundle, startUserNamespace, unpinNamespaces } from '../support/oci/run-bundle.js';
import { thisMachine } from '../support/oci/this-machine.js';

const isRoot = process.getuid?.() === 0;
const passwd = 'root:x:0:0:root:/root:/bin/sh\nweb:x:1000:1001::/home/web:/bin/sh\n';
const group = 'root:x:0:\nweb:x:1001:\naudio:x:29:web\n';
const fuse: HostDevice = { path: '/dev/fuse', type: 'c', major: 10, minor: 229, fileMode: 0o666 };
const id = (value: number) => ({ value: BigInt(value) });

/** Where Debian has it. */
const init = '/usr/bin/catatonit';

const sandboxOf = (namespaceOptions: NamespaceOption): PodSandboxConfig => ({
  metadata: { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 },
  hostname: 'web',
  linux: { cgroupParent: `/${cgroupRootOf('oci-spec')}`, securityContext: { privileged: true, namespaceOptions } },
});

/** The specifications on a real runtime: what the kernel reports of the process. */
describe.each(['crun', 'runc'])('specifications on %s', (runtime) => {
  const machine = isRoot && existsSync('/bin/busybox') ? thisMachine(runtime) : undefined;
  if (machine === undefined) {
    it('run', (context) => {
      if (process.env.NODEAGENT_E2E === 'required') throw new Error(`${runtime} and busybox-static must be installed`);
      console.log(`skipped: specifications on ${runtime}, because they need root, ${runtime} and a static busybox`);
      context.skip();
    });
    return;
  }

  let work: string;
  let paths: PodNamespacePaths;
  let number = 0;

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-oci-spec-'));
    // For the root of a user namespace, who is another user here.
    chmodSync(work, 0o755);
    makeRootfs(join(work, 'rootfs'));
    for (const folder of ['shm', 'ns', 'data/inner']) mkdirSync(join(work, folder), { recursive: true });
    writeFileSync(join(work, 'hosts'), '10.0.0.1 web\n');
    writeFileSync(join(work, 'data/file'), 'data\n');
    paths = pinNamespaces(join(work, 'ns'));
  });
  afterAll(() => {
    unpinNamespaces(paths);
    rmSync(work, { recursive: true, force: true });
  });

  const specOf = (
    script: string,
    context: LinuxContainerSecurityContext = {},
    config: ContainerConfig = {},
    changes: Partial<ContainerSpecInput> = {},
  ): OciSpec => {
    return containerSpec({
      id: `${runtime}-${process.pid}-${++number}`,
      config: { command: ['sh', '-c', `exec 2>&1; ${script}`], ...config, linux: { ...config.linux, securityContext: context } },
      sandbox: sandboxOf({ pid: 'CONTAINER' }),
      sandboxId: 's1',
      image: parseImageProcess('{"config": {"Env": ["PATH=/bin"]}}'),
      rootfs: join(work, 'rootfs'),
      users: { passwd, group },
      namespaces: paths,
      files: { shm: join(work, 'shm'), hosts: join(work, 'hosts') },
      machine: machine as OciMachine,
      ...changes,
    });
  };
  const nextId = () => `${runtime}-${process.pid}-${number}`;
  const run = (...given: Parameters<typeof specOf>): string => {
    const spec = specOf(...given);
    const { status, output } = runBundle(runtime, work, nextId(), spec);
    if (status !== 0) throw new Error(`${runtime} ended with ${status}: ${output}`);
    return output.trim();
  };
  const statusOf = (text: string, field: string) => new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(text)?.[1];

  it('runs with the default set of capabilities, in the namespaces of the pod', () => {
    const output = run('cat /proc/self/status; hostname; readlink /proc/self/ns/net; ls /proc | grep -c "^[0-9]"; echo env=$HOSTNAME');
    expect(statusOf(output, 'CapEff')).toBe('00000000a80425fb');
    expect([statusOf(output, 'CapInh'), statusOf(output, 'CapAmb')]).toEqual(['0000000000000000', '0000000000000000']);
    expect([statusOf(output, 'Seccomp'), statusOf(output, 'NoNewPrivs')]).toEqual(['0', '0']);
    expect(output).toContain('\nweb\n');
    expect(output).toContain('env=web');
    expect(output).not.toContain(readlinkSync('/proc/self/ns/net'));
  });

  it('runs as the user of the request, with its groups', () => {
    const context = { runAsUser: id(1000), supplementalGroups: [2000n] };
    const output = run('cat /proc/self/status', context);
    expect(statusOf(output, 'Uid')).toBe('1000\t1000\t1000\t1000');
    expect(statusOf(output, 'Gid')).toBe('1001\t1001\t1001\t1001');
    expect(statusOf(output, 'Groups')?.trim()).toBe('29 1001 2000');
    const strict = run('cat /proc/self/status', { ...context, supplementalGroupsPolicy: 'Strict' });
    expect(statusOf(strict, 'Groups')?.trim()).toBe('1001 2000');
  });

  it('keeps ambient capabilities of another user, and gains no privileges', () => {
    const context = {
      runAsUser: id(1000),
      noNewPrivs: true,
      capabilities: { dropCapabilities: ['ALL'], addAmbientCapabilities: ['NET_BIND_SERVICE'] },
    };
    const output = run('cat /proc/self/status', context);
    expect([statusOf(output, 'CapEff'), statusOf(output, 'CapAmb'), statusOf(output, 'CapBnd')]).toEqual(Array(3).fill('0000000000000400'));
    expect(statusOf(output, 'NoNewPrivs')).toBe('1');
  });

  it('filters system calls', () => {
    const script = 'cat /proc/self/status; unshare -U true 2>&1; echo unshare=$?';
    const filtered = run(script, { seccomp: { profileType: 'RuntimeDefault' } });
    expect(statusOf(filtered, 'Seccomp')).toBe('2');
    expect(filtered).toMatch(/Operation not permitted\s+unshare=1/);
    const profile = {
      defaultAction: 'SCMP_ACT_ALLOW',
      syscalls: [{ names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO', errnoRet: 13 }],
    };
    const context = { seccomp: { profileType: 'Localhost' as const, localhostRef: '/x' } };
    const local = run('mkdir /tmp/x 2>&1; busybox mkdir /tmp/x 2>&1; true', context, {}, { seccompProfile: JSON.stringify(profile) });
    expect(local).toContain('Permission denied');
  });

  it('hides and protects paths, and the root file system', () => {
    const context = { maskedPaths: ['/proc/interrupts', '/sys/firmware'], readonlyPaths: ['/proc/sys'], readonlyRootfs: true };
    const script = `stat -c %t:%T /proc/interrupts; ls /sys/firmware; (echo x > /proc/sys/kernel/hostname) 2>&1; touch /tmp/x 2>&1; touch /dev/shm/y && echo shm; cat /etc/hosts; (echo x > /etc/hosts) 2>&1; true`;
    const output = run(script, context);
    expect(output.split('\n')[0]).toBe('1:3');
    expect(output.match(/Read-only file system/g)).toHaveLength(3);
    expect(output).toContain('shm');
    expect(output).toContain('10.0.0.1 web');
    expect(existsSync(join(work, 'shm/y'))).toBe(true);
  });

  it('mounts what the request names, read-only where it demands that, parents first', () => {
    const data = join(work, 'data');
    const mounts = [
      { containerPath: '/data/inner', hostPath: data, readonly: true },
      { containerPath: '/data', hostPath: data },
      { containerPath: '/fixed', hostPath: data, readonly: true, recursiveReadOnly: true },
    ];
    const script = 'cat /data/inner/file; touch /data/new && echo new; touch /data/inner/x 2>&1; touch /fixed/x 2>&1; true';
    const output = run(script, {}, { mounts });
    expect(output).toMatch(/^data\nnew\n/);
    expect(output.match(/Read-only file system/g)).toHaveLength(2);
  });

  it('gives devices, and refuses those that the request does not name', () => {
    const script =
      'cat </dev/null && echo null; cat </dev/fuse; echo fuse=$?; busybox mknod /tmp/vda b 254 0; cat /tmp/vda 2>&1 | head -c 200; rm /tmp/vda';
    const devices = [{ hostPath: '/dev/fuse', containerPath: '/dev/fuse', permissions: 'rw' }];
    const output = run(
      script.replaceAll('head', 'busybox head').replaceAll('rm ', 'busybox rm '),
      {},
      { devices },
      { foundDevices: { '/dev/fuse': [fuse] } },
    );
    expect(output).toContain('null');
    expect(output).toMatch(/cat: (read error|-|can't).*Operation not permitted|fuse=0/);
    expect(output).toContain("can't open '/tmp/vda': Operation not permitted");
  });

  it('limits memory, CPU and huge pages, as far as the machine has the controllers', () => {
    const resources = {
      memoryLimitInBytes: 64n << 20n,
      cpuShares: 512n,
      cpuQuota: 50_000n,
      cpuPeriod: 100_000n,
      oomScoreAdj: 500n,
      hugepageLimits: [{ pageSize: '2MB', limit: 0n }],
    };
    const files = machine.cgroups.version === 2 ? 'memory.max cpu.max' : 'memory/memory.limit_in_bytes cpu/cpu.shares cpu/cpu.cfs_quota_us';
    const script = `cat /proc/self/oom_score_adj; cd /sys/fs/cgroup; cat ${files}`;
    const expected = machine.cgroups.version === 2 ? '500\n67108864\n50000 100000' : '500\n67108864\n512\n50000';
    expect(run(script, {}, { linux: { resources } })).toBe(expected);
  });

  it('confines a privileged container by nothing', () => {
    const context = { privileged: true, seccomp: {}, maskedPaths: ['/proc/interrupts'] };
    const output = run(
      'cat /proc/self/status; stat -c kind=%F /proc/interrupts; stat -c dev=%t /dev/fuse; cat /proc/self/mountinfo',
      context,
      {},
      { allDevices: [fuse] },
    );
    expect(statusOf(output, 'CapEff')).toBe(statusOf(readFileSync('/proc/self/status', 'utf8'), 'CapBnd'));
    expect(statusOf(output, 'Seccomp')).toBe('0');
    expect(output).toMatch(/kind=regular( empty)? file\ndev=a\n/);
    expect(output).toMatch(/ \/sys rw,\S+ - sysfs/);
  });

  it('passes environment, working folder and arguments unchanged', () => {
    const envs = [{ key: 'A', value: new TextEncoder().encode('a "quoted" $B\nline') }];
    expect(run('pwd; echo "$A"', {}, { envs, workingDir: '/etc' })).toBe('/etc\na "quoted" $B\nline');
  });

  it('reaps the processes of a pod by a tiny init in a shared process namespace', (context) => {
    if (!existsSync(init)) {
      console.log(`skipped: shared processes on ${runtime}, because catatonit is not installed`);
      context.skip();
    }
    mkdirSync(join(work, 'empty'), { recursive: true });
    const infra = infraSpec({ id: 'infra', sandbox: sandboxOf({ pid: 'POD' }), rootfs: join(work, 'empty'), init, paths, machine });
    const { pid, remove } = startBundle(runtime, work, 'infra', infra);
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect([statusOf(status, 'CapBnd'), statusOf(status, 'NoNewPrivs'), statusOf(status, 'Seccomp')]).toEqual([
        '0000000000000000',
        '1',
        '2',
      ]);
      const sandbox = sandboxOf({ pid: 'POD' });
      expect(run('ps', {}, {}, { sandbox, namespaces: { ...paths, pid: `/proc/${pid}/ns/pid` } })).toMatch(/^\s+1 65535 +\/init -P$/m);
    } finally {
      remove();
    }
  });

  it('maps the users of a pod, and the owners of its mounts where the runtime can', async () => {
    const ids = [{ hostId: 65536, containerId: 0, length: 65536 }];
    const pod = await startUserNamespace('0 65536 65536');
    try {
      const data = join(work, 'mapped');
      mkdirSync(data);
      const sandbox = sandboxOf({ pid: 'CONTAINER', usernsOptions: { mode: 'POD', uids: ids, gids: ids } });
      const changes = { sandbox, namespaces: pod.paths };
      const output = run('cat /proc/self/uid_map; cat /proc/self/status; stat -c %u:%g /dev/pts', {}, {}, changes);
      expect(output).toMatch(/^0\s+65536\s+65536\n/);
      expect(statusOf(output, 'Uid')).toBe('0\t0\t0\t0');
      expect(output).toMatch(/\n0:0$/);
      const config = { mounts: [{ containerPath: '/data', hostPath: data, uidMappings: ids, gidMappings: ids }] };
      const touch = 'touch /data/x; stat -c %u /data/x';
      if (machine.features.idMappedMounts) {
        expect(run(touch, {}, config, changes)).toBe('0');
        expect(statSync(join(data, 'x')).uid).toBe(0);
      } else expect(() => specOf(touch, {}, config, changes)).toThrow('the runtime cannot map the ids of mounts');
    } finally {
      pod.remove();
    }
  });

  it('gives CDI devices with their variables, mounts and hooks', async () => {
    const text = JSON.stringify({
      cdiVersion: '0.6.0',
      kind: 'example.com/fuse',
      containerEdits: { hooks: [{ hookName: 'poststop', path: '/bin/touch', args: ['touch', join(work, 'stopped')] }] },
      devices: [
        {
          name: 'f0',
          containerEdits: {
            env: ['FUSE=f0'],
            deviceNodes: [{ path: '/dev/f0', hostPath: '/dev/fuse', permissions: 'r' }],
            mounts: [{ hostPath: join(work, 'data'), containerPath: '/usr/lib/fuse', options: ['ro', 'bind'] }],
          },
        },
      ],
    });
    const config = { cdiDevices: [{ name: 'example.com/fuse=f0' }] };
    const devices = await readCdiDevices([[{ path: '/etc/cdi/fuse.json', text }]]);
    const cdi = cdiEdits(requestedCdiDevices(config), devices);
    const script = 'echo $FUSE; stat -c %t /dev/f0; cat /usr/lib/fuse/file; touch /usr/lib/fuse/x';
    const output = run(`${script}; true`, {}, config, { cdi, foundDevices: { '/dev/fuse': [fuse] } });
    expect(output).toMatch(/^f0\na\ndata\n.*Read-only file system$/);
    expect(existsSync(join(work, 'stopped'))).toBe(true);
  });
});
