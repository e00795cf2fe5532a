import { type Clock, invalidOption, systemClock } from '@nodeagent/api';
import type { CgroupDriverName, CgroupName, LockHolder } from '@nodeagent/api/helpers';
import type { CgroupFiles } from './cgroup-files.js';
import type { CgroupResources } from './cgroup-resources.js';
import { cgroupfsDriver } from './cgroupfs-driver.js';
import { createFolders } from './create-folders.js';
import { cgroupFailed, cgroupInvalid } from './errors.js';
import { type CgroupHierarchy, cgroupFolders, readCgroupHierarchy } from './hierarchy.js';
import { missingIn } from './missing.js';
import { readMemoryUsage, readValues } from './read-values.js';
import { killAll, pidsIn, removeEmptyFolders, removeEmptyTree, removeTree } from './remove-folders.js';
import { createSystemdDriver } from './systemd-driver.js';
import { writeValues } from './write-values.js';

/** Options of {@link createCgroupManager}. */
export interface CgroupManagerOptions {
  /** Default `cgroupfs`. */
  driver?: CgroupDriverName;
  /** Folder of the cgroup file systems. Default `/sys/fs/cgroup`. */
  root?: string;
  /** The cgroup file systems: `machineCgroupFiles` of `@nodeagent/cgroups/node`, or those of `@nodeagent/cgroups/memory`. */
  files: CgroupFiles;
  /** Clock of the waits between retries of a removal. Default: the system clock. */
  clock?: Clock;
}

/** Cgroups by name. Operations on one cgroup must not run concurrently; those on different ones may. */
export interface CgroupManager {
  /** The version of the machine's cgroups and its controllers. Rejects with `CgroupUnavailable`. */
  hierarchy(): Promise<CgroupHierarchy>;
  /** Path from the root of the file system, such as `/kubepods.slice/kubepods-burstable.slice`. */
  path(name: CgroupName): string;
  /** Creates the cgroup with its parents, and sets the values. Idempotent. Rejects with `CgroupFailed` or `SystemdFailed`. */
  create(name: CgroupName, resources?: CgroupResources): Promise<void>;
  /** Sets the values of an existing cgroup. Values of controllers that the machine lacks are left out. Rejects as `create` does. */
  update(name: CgroupName, resources: CgroupResources): Promise<void>;
  /**
   * Kills the processes in the cgroup and below, and removes both. Idempotent. Rejects with `CgroupFailed`, `retryable`, if processes
   * remain, and if the calling process is one of them.
   */
  remove(name: CgroupName): Promise<void>;
  /**
   * Removes the cgroup and those below it if no process is in them; false if one is. Idempotent. Rejects with `SystemdFailed`.
   */
  removeEmpty(name: CgroupName): Promise<boolean>;
  /**
   * Locks an existing cgroup among the agents on the machine, until the returned function is called or the process ends. Rejects with `heldBy` if
   * another one holds it, and with the file system's error.
   */
  lock(name: CgroupName, heldBy: (holder: LockHolder | undefined) => Error): Promise<() => void>;
  /** Whether the cgroup exists for each controller of the kubelet that the machine has. */
  exists(name: CgroupName): Promise<boolean>;
  /** Rejects with `CgroupInvalid` if the cgroup lacks a controller that the kubelet needs and the machine has. */
  validate(name: CgroupName): Promise<void>;
  /** The names of the cgroups directly below, sorted. Empty if the cgroup does not exist. */
  children(name: CgroupName): Promise<CgroupName[]>;
  /** The processes in the cgroup and below, ascending. */
  pids(name: CgroupName): Promise<number[]>;
  /** Memory in use, in bytes. Undefined if the cgroup or the controller does not exist. */
  memoryUsage(name: CgroupName): Promise<bigint | undefined>;
  /** The CPU and memory values in force. A limit that is not set is -1. Rejects with `CgroupFailed` if the cgroup does not exist. */
  read(name: CgroupName): Promise<CgroupResources>;
}

/** Creates a manager of cgroups. Does no I/O before its first method is called. Throws `InvalidOption`. */
export function createCgroupManager(options: CgroupManagerOptions): CgroupManager {
  const { driver: driverName = 'cgroupfs', root = '/sys/fs/cgroup', files, clock = systemClock } = options;
  if (driverName !== 'cgroupfs' && driverName !== 'systemd') throw invalidOption('driver', 'cgroupfs or systemd', driverName);
  if (files === undefined) throw invalidOption('files', 'cgroup file systems such as those of @nodeagent/cgroups/node', files);
  const driver = driverName === 'systemd' ? systemdDriverOf(files) : cgroupfsDriver;

  let known: CgroupHierarchy | undefined;
  const hierarchy = async () => {
    known ??= await readCgroupHierarchy(files, root);
    return known;
  };
  /** The folders of a cgroup, with that of a hybrid machine's version 2. */
  const allFolders = async (name: CgroupName) => {
    const machine = await hierarchy();
    const path = driver.path(name);
    const isHybrid = machine.version === 1 && machine.unified !== undefined;
    return [...cgroupFolders(machine, path), ...(isHybrid ? [`${machine.unified}${path}`] : [])];
  };
  const belowRoots = async (name: CgroupName) => cgroupFolders(await hierarchy(), driver.path(name));
  const pids = async (name: CgroupName) => pidsIn(files, await allFolders(name));
  const missing = async (name: CgroupName) => missingIn(files, await hierarchy(), driver.path(name));

  return {
    hierarchy,
    path: driver.path,
    async create(name, resources = {}) {
      const path = driver.path(name);
      await driver.create(name, resources, await hierarchy());
      await createFolders(files, await hierarchy(), path).catch((error) => {
        throw cgroupFailed('create the cgroup', path, error);
      });
      await writeValues(files, await hierarchy(), path, resources);
    },
    async update(name, resources) {
      await driver.update(name, resources, await hierarchy());
      await writeValues(files, await hierarchy(), driver.path(name), resources);
    },
    async remove(name) {
      requireBelowRoot(name);
      const path = driver.path(name);
      const folders = await allFolders(name);
      // The runtime removes the cgroups of containers, so most often the folders are empty.
      const areRemoved = await removeEmptyFolders(files, folders);
      if (!areRemoved) await killAll(files, path, folders, clock);
      await driver.remove(name);
      if (areRemoved) return;
      for (const folder of folders) {
        await removeTree(files, folder, clock).catch((error) => Promise.reject(cgroupFailed('remove the cgroup', path, error)));
      }
    },
    async removeEmpty(name) {
      requireBelowRoot(name);
      if ((await pids(name)).length > 0) return false;
      for (const folder of await allFolders(name)) if (!(await removeEmptyTree(files, folder))) return false;
      await driver.remove(name);
      return true;
    },
    async lock(name, heldBy) {
      const [folder = ''] = await belowRoots(name);
      return (await files.lock?.(folder, heldBy)) ?? (() => {});
    },
    exists: async (name) => (await missing(name)).length === 0,
    async validate(name) {
      const lacking = await missing(name);
      if (lacking.length > 0) throw cgroupInvalid((await hierarchy()).version, driver.path(name), lacking);
    },
    async children(name) {
      const lists = await Promise.all((await belowRoots(name)).map((folder) => files.folders(folder).catch(() => [])));
      const path = driver.path(name).replace(/\/$/, '');
      const names = Array.from(new Set(lists.flat())).sort();
      return names.map((each) => driver.parse(`${path}/${each}`)).filter((each) => each.length === name.length + 1);
    },
    pids,
    memoryUsage: async (name) => readMemoryUsage(files, await hierarchy(), driver.path(name)),
    read: async (name) => readValues(files, await hierarchy(), driver.path(name)),
  };
}

function systemdDriverOf({ runSystemd }: CgroupFiles) {
  if (runSystemd === undefined) throw invalidOption('driver', 'cgroupfs: these cgroup file systems have no systemd', 'systemd');
  return createSystemdDriver(runSystemd);
}

function requireBelowRoot(name: CgroupName): void {
  if (name.length === 0) throw invalidOption('name', 'a cgroup below the root', name);
}
