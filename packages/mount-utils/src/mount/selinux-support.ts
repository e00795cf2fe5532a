import type { MountInfo } from '@nodeagent/api';

/** Whether the kernel keeps SELinux labels for the files of the file system that is mounted at `path`. The kubelet's `GetSELinuxSupport`. */
export function supportsSELinuxLabels(mounts: readonly MountInfo[], path: string): boolean {
  const mount = mounts.findLast(({ mountPoint }) => mountPoint === path);
  return mount?.superOptions.includes('seclabel') ?? false;
}
