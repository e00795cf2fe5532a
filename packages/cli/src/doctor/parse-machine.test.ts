import { expect, it } from 'vitest';
import {
  cgroupMounts,
  fileSystemsOf,
  fileSystemType,
  isSince,
  listeningPorts,
  parseKernel,
  parseMountinfo,
  swapBytes,
  versionOf,
} from './parse-machine.js';

const unified = '30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';
const hybrid = [
  '20 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
  '30 20 0:26 / /sys/fs/cgroup rw,relatime shared:2 - tmpfs tmpfs rw,mode=755',
  '31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:3 - cgroup cgroup rw,cpu,cpuacct',
  '32 30 0:28 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd',
  '33 30 0:29 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
  '34 20 0:30 / /var/lib/containers rw - xfs /dev/vdb rw',
  '',
].join('\n');

it('reads the mounted cgroups', () => {
  expect(cgroupMounts(parseMountinfo(unified), (folder) => `${folder.length} cpu memory\n`)).toEqual({
    v1: [],
    v2: { path: '/sys/fs/cgroup', controllers: ['14', 'cpu', 'memory'] },
    isReadOnly: false,
  });
  expect(cgroupMounts(parseMountinfo(hybrid), () => 'hugetlb\n')).toEqual({
    v1: ['cpu', 'cpuacct'],
    v2: { path: '/sys/fs/cgroup/unified', controllers: ['hugetlb'] },
    isReadOnly: false,
  });
  expect(cgroupMounts(parseMountinfo(unified.replace('rw,nosuid', 'ro,nosuid')), () => '').isReadOnly).toBe(true);
  expect(cgroupMounts([], () => '')).toEqual({ v1: [], isReadOnly: false });
});

it('finds the file system of a path', () => {
  const typeOf = (path: string) => fileSystemType(parseMountinfo(hybrid), path);
  expect([
    typeOf('/'),
    typeOf('/var/lib'),
    typeOf('/var/lib/containers'),
    typeOf('/var/lib/containers/a'),
    typeOf('/var/lib/containersX'),
  ]).toEqual(['ext4', 'ext4', 'xfs', 'xfs', 'ext4']);
});

it('reads versions', () => {
  expect(parseKernel('5.15.0-91-generic')).toEqual({ text: '5.15.0-91-generic', major: 5, minor: 15 });
  expect([isSince(parseKernel('5.12'), [5, 12]), isSince(parseKernel('5.9'), [5, 12]), isSince(parseKernel('6.0'), [5, 12])]).toEqual([
    true,
    false,
    true,
  ]);
  expect(['crun version 1.8.1\ncommit: 1.2', 'ip utility, iproute2-6.1.0', 'iptables v1.8.9 (nf_tables)', 'none'].map(versionOf)).toEqual([
    '1.8.1',
    '6.1.0',
    '1.8.9',
    undefined,
  ]);
});

it('reads listening ports, swap and file systems', () => {
  const tcp = `  sl  local_address rem_address   st
   0: 0100007F:280A 00000000:0000 0A 00000000:00000000
   1: 0100007F:1F90 0100007F:C001 01 00000000:00000000
   2: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00
`;
  expect(listeningPorts(tcp)).toEqual([10_250, 22]);
  expect(listeningPorts('')).toEqual([]);
  expect(swapBytes('Filename Type Size Used Priority\n/swap file 1024 0 -2\n/dev/sdb2 partition 2048 0 -3\n')).toBe(3 * 2 ** 20);
  expect(swapBytes('Filename Type Size Used Priority\n')).toBe(0);
  expect(fileSystemsOf('nodev\toverlay\n\text4\n')).toEqual(['overlay', 'ext4']);
});
