import type { OciMount } from './oci-spec.js';

/** What changes the file systems that every container has. */
export interface DefaultMountInput {
  /** sysfs and cgroups are writable. */
  privileged: boolean;
  /** sysfs cannot be mounted: a user namespace does not own the network namespace of the node. */
  cannotMountSysfs: boolean;
}

const noPrograms = ['nosuid', 'noexec', 'nodev'];

/**
 * The file systems of every container, parents first: OCI runtime specification, "Default Filesystems", and the cgroups, which Docker and
 * containerd show read-only. /dev/shm is not among them: it is the pod's.
 */
export function defaultMounts({ privileged, cannotMountSysfs }: DefaultMountInput): OciMount[] {
  const access = privileged ? 'rw' : 'ro';
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: noPrograms },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'] },
    cannotMountSysfs
      ? { destination: '/sys', type: 'bind', source: '/sys', options: ['rbind', 'rprivate', ...noPrograms, access] }
      : { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...noPrograms, access] },
    {
      destination: '/dev/pts',
      type: 'devpts',
      source: 'devpts',
      options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'],
    },
    { destination: '/dev/mqueue', type: 'mqueue', source: 'mqueue', options: noPrograms },
    { destination: '/sys/fs/cgroup', type: 'cgroup', source: 'cgroup', options: [...noPrograms, 'relatime', access] },
  ];
}
