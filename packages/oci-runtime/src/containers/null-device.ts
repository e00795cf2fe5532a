import { chmodSync, chownSync, statSync } from 'node:fs';

/**
 * Gives /dev/null back to root of the machine. crun gives a container the ownership of what its standard input is, as seen in crun 1.8.1: conmon opens that of
 * the machine, so root of a user namespace could close it to all others. Call it after each creation, before the container starts.
 */
export function restoreNullDevice(path = '/dev/null'): void {
  const { uid, gid, mode } = statSync(path);
  if (uid !== 0 || gid !== 0) chownSync(path, 0, 0);
  if ((mode & 0o777) !== 0o666) chmodSync(path, 0o666);
}
