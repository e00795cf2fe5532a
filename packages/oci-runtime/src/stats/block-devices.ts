import { readFileSync } from 'node:fs';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import { parseMountInfo } from '@nodeagent/mount-utils/decisions';

/** The path of a block device, such as `/dev/sda`; empty for an unknown one. sysfs-dev of the kernel's Documentation/ABI. */
export function blockDevice(major: string, minor: string, sys: string): string {
  const name = /^DEVNAME=(.+)$/m.exec(read(`${sys}/dev/block/${major}:${minor}/uevent`))?.[1];
  return name === undefined ? '' : `/dev/${name}`;
}

/** What the file system of a path is mounted from: a device, or another name such as `tmpfs`. Empty if that is unknown. */
export function mountSource(path: string, mountinfo = '/proc/self/mountinfo'): string {
  try {
    const mounts = parseMountInfo(read(mountinfo));
    return mounts.findLast(({ mountPoint }) => isPathWithinBase(path, mountPoint))?.source ?? '';
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
