import type { CgroupName } from '@nodeagent/api/helpers';
import type { CgroupResources } from './cgroup-resources.js';
import type { CgroupHierarchy } from './hierarchy.js';

/** What is done beside the files of a cgroup, so that who else manages cgroups on the machine agrees with them. */
export interface CgroupDriver {
  /** Path from the root of the file system, with a leading `/`. */
  path(name: CgroupName): string;
  /** The name of a path. */
  parse(path: string): CgroupName;
  /** Called before the folders are created. Idempotent. */
  create(name: CgroupName, resources: CgroupResources, hierarchy: CgroupHierarchy): Promise<void>;
  /** Called before the files are written. */
  update(name: CgroupName, resources: CgroupResources, hierarchy: CgroupHierarchy): Promise<void>;
  /** Called when the processes have ended, before the folders are removed. Idempotent. */
  remove(name: CgroupName): Promise<void>;
}
