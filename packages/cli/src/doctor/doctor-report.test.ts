import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { DoctorFacts } from './doctor-facts.js';
import { doctorReport, hasErrors, renderReport } from './doctor-report.js';
import { parseKernel } from './parse-machine.js';

const crun = { path: '/usr/bin/crun', title: 'crun 1.14' };
const programs = Object.fromEntries(
  ['conmon', 'unshare', 'nsenter', 'ip', 'catatonit', 'socat', 'iptables'].map((name) => [name, `/usr/bin/${name}`]),
);
const healthy: DoctorFacts = {
  platform: 'linux',
  isRoot: true,
  distribution: 'debian',
  ociPrograms: [crun.path],
  programs,
  cniPlugins: ['bridge', 'host-local', 'portmap'],
  usesDefaultNetwork: true,
  probes: [crun],
  kernel: parseKernel('6.12.1-amd64'),
  architecture: 'x64',
  versions: { crun: '1.14', conmon: '2.1.10', unshare: '2.40', ip: '6.9', catatonit: '0.2', socat: '1.8', iptables: '1.8.10' },
  cgroups: { v1: [], v2: { path: '/sys/fs/cgroup', controllers: ['cpuset', 'cpu', 'io', 'memory', 'pids'] }, isReadOnly: false },
  networks: [],
  cniPluginDirs: ['/usr/lib/cni'],
  fileSystems: ['ext4', 'overlay'],
  storage: {
    path: '/var/lib/nodeagent',
    type: 'ext4',
    availableBytes: 50 * 2 ** 30,
    totalBytes: 100 * 2 ** 30,
    availableInodes: 900,
    totalInodes: 1_000,
  },
  hasSeccomp: true,
  securityModules: ['AppArmor'],
  sysctls: { 'user/max_user_namespaces': 1000, 'fs/inotify/max_user_instances': 128, 'fs/inotify/max_user_watches': 65_536 },
  ports: [22],
  swapBytes: 0,
  clock: { now: Date.UTC(2026, 5, 1), services: ['chronyd'] },
};
const without = (...names: string[]) => Object.fromEntries(Object.entries(programs).filter(([name]) => !names.includes(name)));
const { v2 } = healthy.cgroups;
const hybrid = {
  v1: ['cpu', 'cpuset', 'memory', 'pids'],
  v2: { path: '/sys/fs/cgroup/unified', controllers: ['hugetlb'] },
  isReadOnly: false,
};
const refused = { ...crun, problem: 'cgroups in hybrid mode not supported' };
const runc = { path: '/usr/sbin/runc', title: 'runc 1.1.5' };
const storage = (changes: Partial<DoctorFacts['storage']>) => ({ storage: { ...healthy.storage, ...changes } });
const sysctls = (changes: Record<string, number>) => ({ sysctls: { ...healthy.sysctls, ...changes } });

describe('the report about a machine', () => {
  it('has no errors and warnings for a healthy one', () => {
    const report = doctorReport(healthy);
    expect(report.checks.map(({ name, status, text }) => `${status} ${name}: ${text}`)).toEqual([
      'ok system: Linux 6.12.1-amd64, x64',
      'ok user: root',
      'ok cgroups: version 2: cpuset, cpu, io, memory, pids',
      'ok overlay: mounts on ext4 work',
      'ok idmapped mounts: kernel and crun',
      'ok user namespaces: at most 1000',
      'ok seccomp: the kernel has it',
      'ok security modules: AppArmor',
      'ok OCI runtime: crun 1.14 at /usr/bin/crun runs containers',
      'ok conmon: conmon 2.1.10 at /usr/bin/conmon',
      'ok util-linux: unshare 2.40 at /usr/bin/unshare',
      'ok iproute2: ip 6.9 at /usr/bin/ip',
      'ok catatonit: catatonit 0.2 at /usr/bin/catatonit',
      'ok socat: socat 1.8 at /usr/bin/socat',
      'ok iptables: iptables 1.8.10 at /usr/bin/iptables',
      'ok CNI plugins: 3 in /usr/lib/cni',
      'ok CNI configuration: none: pods without a cluster are on the bridge nodeagent0',
      'ok ports: 10250 and 10248 are free',
      'ok kubelet: none runs here',
      'ok disk: 50.0 of 100.0 GiB free at /var/lib/nodeagent (ext4)',
      'ok inotify: 128 instances, 65536 watches',
      'ok swap: off',
      'ok clock: 2026-06-01, set by chronyd',
    ]);
    expect(report.runtime).toEqual({ type: 'oci', text: 'pods run in containers of crun 1.14' });
    expect(hasErrors(report)).toBe(false);
  });

  it.each<[string, Partial<DoctorFacts>, string, string?]>([
    ['system', { platform: 'darwin' }, 'error darwin: containers need Linux'],
    ['system', { kernel: parseKernel('5.10.0-8') }, 'warning Linux 5.10.0-8, x64: recursive read-only mounts need Linux 5.12'],
    ['user', { isRoot: false, probes: [] }, 'error not root: containers need root', 'run it as root: sudo nodeagent doctor'],

    ['cgroups', { cgroups: { v1: [], isReadOnly: false } }, 'error not mounted', 'mount cgroup2 at /sys/fs/cgroup'],
    [
      'cgroups',
      { cgroups: { v1: [], v2, isReadOnly: true } },
      'error mounted read-only',
      'in a container: run it privileged, with --cgroupns host',
    ],
    [
      'cgroups',
      { cgroups: { v1: [], v2: { path: '/sys/fs/cgroup', controllers: ['cpuset', 'cpu', 'pids'] }, isReadOnly: false } },
      'warning version 2: cpuset, cpu, pids; without memory pods have no such limits',
      'see cgroup_enable= of the kernel command line',
    ],
    [
      'cgroups',
      { cgroups: hybrid },
      'warning version 1: cpu, cpuset, memory, pids; hybrid: version 2 at /sys/fs/cgroup/unified has hugetlb, which crun refuses',
      'use runc, or start the machine with systemd.unified_cgroup_hierarchy=1',
    ],
    ['cgroups', { cgroups: { ...hybrid, v2: { ...hybrid.v2, controllers: [] } } }, 'ok version 1: cpu, cpuset, memory, pids'],

    ['overlay', { probes: [], fileSystems: ['ext4'] }, 'error the kernel has not loaded it', 'modprobe overlay'],
    ['overlay', { probes: [] }, 'ok the kernel has it'],
    [
      'overlay',
      { probes: [], ...storage({ type: 'overlay' }) },
      'error /var/lib/nodeagent is on an overlay file system, which cannot have another one',
      'set --root-dir to a volume of the machine',
    ],

    ['idmapped mounts', { kernel: parseKernel('6.1.0') }, 'warning pods with user namespaces need Linux 6.3'],
    ['idmapped mounts', { versions: { runc: '1.1.5' } }, 'warning pods with user namespaces and volumes need crun 1.8 or runc 1.2'],
    ['idmapped mounts', { probes: [refused, runc] }, 'warning runc has none: crun would'],
    ['idmapped mounts', { probes: [runc], versions: { runc: '1.2.0' } }, 'ok kernel and runc'],
    ['user namespaces', { sysctls: {} }, 'warning the kernel has none: pods with hostUsers: false do not start'],
    [
      'user namespaces',
      sysctls({ 'user/max_user_namespaces': 0 }),
      'warning turned off: pods with hostUsers: false do not start',
      'sysctl -w user.max_user_namespaces=15000',
    ],
    ['seccomp', { hasSeccomp: false }, 'warning the kernel has none: pods with a seccomp profile do not start'],
    ['security modules', { securityModules: [] }, 'ok neither AppArmor nor SELinux'],

    ['OCI runtime', { ociPrograms: [], probes: [] }, 'error neither crun nor runc found', 'apt install crun'],
    ['OCI runtime', { isRoot: false, probes: [] }, 'warning /usr/bin/crun not tried: this needs root'],
    ['OCI runtime', { programs: without('conmon'), probes: [] }, 'warning /usr/bin/crun not tried: something else is missing'],
    [
      'OCI runtime',
      { probes: [refused, runc] },
      'warning runc 1.1.5 at /usr/sbin/runc runs containers; crun 1.14 cannot: cgroups in hybrid mode not supported',
    ],
    [
      'OCI runtime',
      { probes: [refused] },
      'error crun 1.14 cannot: cgroups in hybrid mode not supported',
      'try another OCI runtime: apt install runc',
    ],
    ['conmon', { programs: without('conmon') }, 'error conmon not found: it keeps logs and exit codes of containers', 'apt install conmon'],
    [
      'util-linux',
      { programs: without('unshare', 'nsenter') },
      'error unshare and nsenter not found: they create the namespaces of pods',
      'apt install util-linux',
    ],
    [
      'iproute2',
      { programs: without('ip'), distribution: 'fedora' },
      'error ip not found: it starts the loopback interface of pods',
      'dnf install iproute',
    ],
    [
      'catatonit',
      { programs: without('catatonit'), distribution: 'alpine' },
      'warning catatonit not found: pods with shareProcessNamespace do not start',
      'apk add catatonit',
    ],
    ['socat', { programs: without('socat') }, 'warning socat not found: attach and port-forward do not work', 'apt install socat'],
    [
      'iptables',
      { programs: without('iptables'), distribution: undefined },
      'warning iptables not found: pods reach this machine only, and have no host ports',
      'install iptables',
    ],
    ['conmon', { versions: {} }, 'ok conmon at /usr/bin/conmon'],

    ['CNI plugins', { cniPlugins: ['bridge'] }, 'error host-local not found', 'apt install containernetworking-plugins'],
    ['CNI plugins', { cniPlugins: [], usesDefaultNetwork: false, distribution: 'alpine' }, 'error none found', 'apk add cni-plugins'],
    ['CNI configuration', { networks: [{ file: 'network a in /etc/cni/net.d' }] }, 'ok network a in /etc/cni/net.d'],
    [
      'CNI configuration',
      { networks: [{ file: 'network a in /etc/cni/net.d' }, { file: 'b.conf', problem: 'not JSON' }] },
      'ok network a in /etc/cni/net.d; skipped b.conf: not JSON',
    ],
    [
      'CNI configuration',
      { networks: [{ file: 'b.conf', problem: 'not JSON' }] },
      'error no valid one: b.conf: not JSON',
      'repair the file, or remove it to use the default network',
    ],
    [
      'ports',
      { ports: [22, 10_250] },
      'warning 10250 in use: an agent in a cluster listens there',
      'stop that process, or set --port and --healthz-port',
    ],
    ['kubelet', { kubeletPid: 7 }, 'warning process 7 is a kubelet', 'stop it, or give the agent another --cgroup-root and --root-dir'],

    [
      'disk',
      storage({ availableBytes: 2 ** 30 * 5 }),
      'warning 5.0 of 100.0 GiB free at /var/lib/nodeagent (ext4)',
      'free space, or set --root-dir: pods are evicted below 10 %',
    ],
    [
      'disk',
      storage({ availableInodes: 10 }),
      'warning 50.0 of 100.0 GiB free at /var/lib/nodeagent (ext4), 10 of 1000 inodes',
      'remove files: pods are evicted below 5 % of the inodes',
    ],
    ['disk', storage({ availableInodes: 0, totalInodes: 0, type: 'btrfs' }), 'ok 50.0 of 100.0 GiB free at /var/lib/nodeagent (btrfs)'],
    [
      'inotify',
      sysctls({ 'fs/inotify/max_user_instances': 64 }),
      'warning fs.inotify.max_user_instances is 64',
      'sysctl -w fs.inotify.max_user_instances=128',
    ],
    ['swap', { swapBytes: 2 ** 31 }, 'ok 2.0 GiB: the agent starts unless failSwapOn is true'],
    ['clock', { clock: { now: 0, services: [] } }, 'error 1970-01-01 is in the past: certificates are not valid yet', 'set the clock'],
    [
      'clock',
      { clock: { now: healthy.clock.now, services: [] } },
      'warning 2026-06-01, and no time service runs',
      'run chrony or systemd-timesyncd, unless the host of this machine sets its clock',
    ],
  ])('%s: %o', (name, changes, finding, hint) => {
    const report = doctorReport({ ...healthy, ...changes });
    const found = report.checks.find((check) => check.name === name);
    expect(`${found?.status} ${found?.text}`).toBe(finding);
    expect(found?.hint).toBe(hint);
    expect(hasErrors(report)).toBe(report.checks.some(({ status }) => status === 'error'));
  });

  it('aligns its lines, with the hint below, and has colours only on a terminal', () => {
    const report = doctorReport({ ...healthy, programs: without('conmon'), probes: [] });
    const lines = renderReport(report, false);
    expect(lines).toContain('error    conmon             conmon not found: it keeps logs and exit codes of containers');
    expect(lines[lines.findIndex((line) => line.startsWith('error')) + 1]).toBe(`${' '.repeat(28)}apt install conmon`);
    expect(lines.at(-1)).toBe(
      '1 error, 1 warning: pods run as plain processes, without isolation: containers need conmon (apt install conmon)',
    );
    const coloured = renderReport(report, true);
    expect(coloured).not.toEqual(lines);
    expect(coloured.map(stripVTControlCharacters)).toEqual(lines);
  });
});
