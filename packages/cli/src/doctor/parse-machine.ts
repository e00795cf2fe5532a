/** `major.minor` and the whole text of a kernel release. */
export interface KernelVersion {
  text: string;
  major: number;
  minor: number;
}

export function parseKernel(release: string): KernelVersion {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  return { text: release, major: Number(major), minor: Number(minor) };
}

export const isSince = ({ major, minor }: KernelVersion, since: readonly [number, number]) =>
  major > since[0] || (major === since[0] && minor >= since[1]);

/** The mounted cgroup file systems. */
export interface CgroupMounts {
  /** Controllers of version 1. */
  v1: readonly string[];
  /** Mount point and controllers of version 2; undefined if it is not mounted. */
  v2?: { path: string; controllers: readonly string[] };
  /** Whether one is mounted read-only, as in containers. */
  isReadOnly: boolean;
}

export interface MountEntry {
  path: string;
  type: string;
  options: readonly string[];
  superOptions: readonly string[];
}

/** The lines of /proc/self/mountinfo: proc_pid_mountinfo(5). */
export function parseMountinfo(text: string): MountEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [mount = '', fileSystem = ''] = line.split(' - ');
      const [, , , , path = '', options = ''] = mount.split(' ');
      const [type = '', , superOptions = ''] = fileSystem.split(' ');
      return { path, type, options: options.split(','), superOptions: superOptions.split(',') };
    });
}

const v1Controllers = new Set([
  'cpu',
  'cpuacct',
  'cpuset',
  'memory',
  'devices',
  'freezer',
  'blkio',
  'pids',
  'hugetlb',
  'net_cls',
  'net_prio',
]);

/** @param controllersOf - the content of `cgroup.controllers` in a folder */
export function cgroupMounts(mounts: readonly MountEntry[], controllersOf: (folder: string) => string): CgroupMounts {
  const below = mounts.filter(({ path }) => path.startsWith('/sys/fs/cgroup'));
  const first = below.filter(({ type }) => type === 'cgroup');
  const [second] = below.filter(({ type }) => type === 'cgroup2');
  return {
    v1: [...new Set(first.flatMap(({ superOptions }) => superOptions.filter((option) => v1Controllers.has(option))))],
    ...(second && { v2: { path: second.path, controllers: words(controllersOf(second.path)) } }),
    isReadOnly: [...first, ...(second ? [second] : [])].some(({ options }) => options.includes('ro')),
  };
}

/** The type of the file system that has a path: that of the mount with the longest path. */
export function fileSystemType(mounts: readonly MountEntry[], path: string): string {
  const around = mounts.filter((mount) => path === mount.path || path.startsWith(mount.path.replace(/\/?$/, '/')));
  return around.toSorted((a, b) => a.path.length - b.path.length).at(-1)?.type ?? '';
}

/** The ports of listening sockets in /proc/net/tcp or tcp6: state 0A. */
export function listeningPorts(text: string): number[] {
  const lines = text.split('\n').slice(1);
  const listening = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === '0A');
  return [...new Set(listening.map(([, address = '']) => Number.parseInt(address.split(':').at(-1) ?? '', 16)))];
}

/** The size of all areas in /proc/swaps, in bytes. */
export function swapBytes(text: string): number {
  const sizes = text
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(/\s+/)[2] ?? 0));
  return sizes.reduce((sum, kib) => sum + kib * 1024, 0);
}

export const fileSystemsOf = (text: string) => text.split('\n').flatMap((line) => line.split('\t').at(-1) || []);

/** The first version in what a program prints. */
export const versionOf = (output: string) => /\d+\.\d+(?:\.\d+)*/.exec(output)?.[0];

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
