import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { statsErrorCodes } from '../errors.js';

/** The mount points of a node's cgroups. */
export type CgroupMounts =
  | { version: 2; root: string }
  /** Mount points by controller; missing controllers are absent. */
  | { version: 1; root: string; controllers: Readonly<Partial<Record<string, string>>> };

/** Detects the cgroup version at `root`; a hybrid node has version 1. Throws `CgroupUnreadable` if there are no cgroups. */
export function cgroupMounts(root: string): CgroupMounts {
  if (existsSync(join(root, 'cgroup.controllers'))) return { version: 2, root };
  const controllers: Record<string, string> = {};
  for (const folder of foldersOf(root)) for (const controller of folder.split(',')) controllers[controller] ??= join(root, folder);
  if (controllers.memory !== undefined || controllers.cpuacct !== undefined) return { version: 1, root, controllers };
  throw new NodeAgentError(statsErrorCodes.cgroupUnreadable, `no cgroup file system is mounted at ${root}`, {
    hint: 'Mount cgroup2 there, or the cgroup v1 controllers in directories below it.',
    details: { root },
  });
}

function foldersOf(root: string): string[] {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
}
