import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMountInfo } from './mount-info.js';

/**
 * Whether a process in another mount namespace, such as a container, has a mount that sends mounts to this peer group or receives them from it:
 * `shared:N` or `master:N` of proc_pid_mountinfo(5). Reads one process of each namespace. Unreadable processes do not count.
 */
export async function hasMountsOfGroup(group: number, proc = '/proc'): Promise<boolean> {
  const namespaceOf = (pid: string) => readlink(join(proc, pid, 'ns/mnt')).catch(() => undefined);
  const known = new Set([undefined, await namespaceOf('self')]);
  const fields = new Set([`shared:${group}`, `master:${group}`]);
  for (const pid of (await readdir(proc)).filter((name) => /^\d+$/.test(name))) {
    const namespace = await namespaceOf(pid);
    if (known.has(namespace)) continue;
    const table = await readFile(join(proc, pid, 'mountinfo'), 'utf8').catch(() => undefined);
    // The process has just exited; its namespace may have others.
    if (table === undefined) continue;
    known.add(namespace);
    if (parseMountInfo(table).some(({ optionalFields }) => optionalFields.some((field) => fields.has(field)))) return true;
  }
  return false;
}
