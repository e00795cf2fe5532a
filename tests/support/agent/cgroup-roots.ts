import { createHash } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { listIfThere } from '../if-there.js';

const fileSystem = '/sys/fs/cgroup';
const runVariable = 'NODEAGENT_TEST_RUN';
const prefix = () => `nodeagent-test-${process.env[runVariable] ?? process.pid}-`;

/** Names the cgroups of the processes that this one starts, so that it can remove them. */
export function nameCgroupRoots(): void {
  process.env[runVariable] = String(process.pid);
}

/** The cgroup root of the agent with this root directory; the same after a restart of the agent. */
export const cgroupRootOf = (rootDir: string): string => `${prefix()}${createHash('sha256').update(rootDir).digest('hex').slice(0, 10)}`;

/** The paths of a cgroup, one for each mounted hierarchy. */
export const cgroupPaths = (cgroup: string): string[] =>
  ['', ...listIfThere(fileSystem)].map((hierarchy) => join(fileSystem, hierarchy, cgroup));

/** Removes the cgroup roots of this run. Call it when no agent and no container runs. */
export function removeCgroupRoots(): void {
  for (const parent of cgroupPaths('')) {
    for (const name of listIfThere(parent)) if (name.startsWith(prefix())) removeEmptyCgroup(join(parent, name));
  }
}

/** Removes a cgroup with those below it, except where processes run. */
export function removeEmptyCgroup(path: string): void {
  for (const name of listIfThere(path)) removeEmptyCgroup(join(path, name));
  try {
    rmdirSync(path);
  } catch {
    // It is a file of the kernel, or has processes.
  }
}
