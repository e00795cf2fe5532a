import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';

/** The hierarchies of cgroup v1 that conmon is placed in; `systemd` has no controller. A cpuset would need CPUs first. */
const hierarchies = ['memory', 'cpu', 'pids', 'systemd'];

/** A program and its arguments. */
type ProgramCommand = readonly [program: string, ...args: string[]];

/** The cgroup of the conmon processes of a pod: beside those of its containers, so that they count for the pod and outlive the agent's cgroup. */
export interface MonitorCgroup {
  /** The command that starts conmon, from the one that would do it elsewhere. */
  command(containerId: string, command: ProgramCommand): ProgramCommand;
  place(pid: number): void;
  /** Does nothing while a process is in it. */
  remove(): void;
}

/** @param parent - the pod's cgroup from the root of the hierarchy, with a leading `/` */
export function monitorCgroup(parent: string, mountPoint = '/sys/fs/cgroup'): MonitorCgroup {
  const isUnified = existsSync(join(mountPoint, 'cgroup.controllers'));
  const roots = isUnified ? [mountPoint] : hierarchies.map((name) => join(mountPoint, name)).filter((root) => existsSync(root));
  const folders = roots.map((root) => join(root, parent, 'conmon'));
  return {
    command: (_containerId, command) => command,
    place(pid) {
      for (const folder of folders) {
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'cgroup.procs'), String(pid));
      }
    },
    remove() {
      for (const folder of folders) {
        try {
          rmdirSync(folder);
        } catch (error) {
          if (!['ENOENT', 'EBUSY'].includes(errorCode(error) ?? '')) throw error;
        }
      }
    },
  };
}
