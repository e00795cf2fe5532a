import {
  type CgroupDriverName,
  type CgroupName,
  type Clock,
  checkOptionNames,
  cpuWeightToShares,
  errorCode,
  errorMessage,
  invalidOption,
  type LockHolder,
  NodeAgentError,
  systemClock,
} from '@nodeagent/api';
import { type CgroupFiles, machineCgroupFiles } from './cgroup-files.js';
import type { CgroupResources } from './cgroup-resources.js';
import { type CgroupValue, cgroupValues } from './cgroup-values.js';
import { cgroupfsDriver } from './cgroupfs-driver.js';
import { createFolders } from './create-folders.js';
import { cgroupsErrorCodes } from './errors.js';
import { type CgroupHierarchy, cgroupFolders, controllerFolder, readCgroupHierarchy, words } from './hierarchy.js';
import { runSystemd } from './run-systemd.js';
import { createSystemdDriver, type RunSystemd } from './systemd-driver.js';

/** Options of {@link createCgroupManager}. */
export interface CgroupManagerOptions {
  /** Default `cgroupfs`. */
  driver?: CgroupDriverName;
  /** Folder of the cgroup file systems. Default `/sys/fs/cgroup`. */
  root?: string;
  /** Default: the machine's files. */
  files?: CgroupFiles;
  /** Runs systemd's programs, for the driver `systemd`. Default: those of the machine. */
  runSystemd?: RunSystemd;
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

/** Controllers without which a cgroup is invalid, where the machine has them. */
const requiredControllers = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'hugetlb', 'systemd'];
const killPasses = 5;
const removeAttempts = 6;
const firstRetryMs = 10;
/** cgroup v1 reports no limit as the largest multiple of the page size. */
const unlimitedV1 = 1n << 62n;

/** Creates a manager of cgroups. Does no I/O before its first method is called. Throws `InvalidOption`. */
export function createCgroupManager(options: CgroupManagerOptions = {}): CgroupManager {
  checkOptionNames('createCgroupManager', options, { driver: true, root: true, files: true, runSystemd: true, clock: true });
  const { driver: driverName = 'cgroupfs', root = '/sys/fs/cgroup', files = machineCgroupFiles, clock = systemClock } = options;
  if (driverName !== 'cgroupfs' && driverName !== 'systemd') throw invalidOption('driver', 'cgroupfs or systemd', driverName);
  const driver = driverName === 'systemd' ? createSystemdDriver(options.runSystemd ?? runSystemd) : cgroupfsDriver;

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

  async function write(name: CgroupName, resources: CgroupResources): Promise<void> {
    const machine = await hierarchy();
    const path = driver.path(name);
    const values = cgroupValues(machine.version, resources);
    const writeValue = async ({ controller, file, value, isOptional }: CgroupValue) => {
      const folder = controllerFolder(machine, controller, path);
      if (folder === undefined) return;
      try {
        await files.write(`${folder}/${file}`, value);
      } catch (error) {
        if (isOptional && errorCode(error) === 'ENOENT') return;
        throw failed(`set ${file} to ${value}`, path, error);
      }
    };
    for (const [index, value] of values.entries()) {
      try {
        await writeValue(value);
      } catch (error) {
        // The kernel rejects a shorter period while the quota in force exceeds it.
        const quota = values[index + 1];
        if (value.file !== 'cpu.cfs_period_us' || quota?.file !== 'cpu.cfs_quota_us') throw error;
        await writeValue(quota);
        await writeValue(value);
      }
    }
  }

  async function pidsBelow(folder: string): Promise<number[]> {
    const text = await files.read(`${folder}/cgroup.procs`).catch(() => '');
    const below = await files.folders(folder).catch(() => []);
    const lists = await Promise.all(below.map((each) => pidsBelow(`${folder}/${each}`)));
    return [...words(text).map(Number), ...lists.flat()];
  }

  const pids = async (name: CgroupName) => {
    const lists = await Promise.all((await allFolders(name)).map(pidsBelow));
    return Array.from(new Set(lists.flat())).sort((a, b) => a - b);
  };

  async function killAll(name: CgroupName): Promise<void> {
    for (let pass = 0; pass < killPasses; pass++) {
      const found = await pids(name);
      if (found.length === 0) return;
      if (found.includes(process.pid)) {
        const self = new Error(`it contains this process, ${process.pid}`);
        throw failed('remove the cgroup', driver.path(name), self);
      }
      for (const pid of found) files.kill(pid);
      await clock.sleep(firstRetryMs << pass);
    }
  }

  /** Removes the folders without processes and cgroups below; false if one remains. */
  async function removeEmptyFolders(folders: readonly string[]): Promise<boolean> {
    let areRemoved = true;
    for (const folder of folders) {
      await files.rmdir(folder).catch((error) => {
        if (errorCode(error) !== 'ENOENT') areRemoved = false;
      });
    }
    return areRemoved;
  }

  /** Removes a folder and those below it without processes; false if one remains. */
  async function removeEmptyTree(folder: string): Promise<boolean> {
    const below = await files.folders(folder).catch(() => []);
    for (const each of below) if (!(await removeEmptyTree(`${folder}/${each}`))) return false;
    return removeEmptyFolders([folder]);
  }

  async function removeFolder(folder: string): Promise<void> {
    const below = await files.folders(folder).catch(() => []);
    for (const each of below) await removeFolder(`${folder}/${each}`);
    for (let attempt = 1; ; attempt++) {
      try {
        await files.rmdir(folder);
        return;
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return;
        if (errorCode(error) !== 'EBUSY' || attempt === removeAttempts) throw error;
        await clock.sleep(firstRetryMs << (attempt - 1));
      }
    }
  }

  const required = (machine: CgroupHierarchy) => {
    const has = machine.version === 1 ? [...machine.controllers.keys()] : machine.controllers;
    return requiredControllers.filter((controller) => has.includes(controller));
  };

  async function missing(name: CgroupName): Promise<string[]> {
    const machine = await hierarchy();
    const path = driver.path(name);
    if (machine.version === 2) {
      const enabled = await files.read(`${machine.root}${path}/cgroup.controllers`).then(words, () => undefined);
      return enabled === undefined ? [`${machine.root}${path}`] : required(machine).filter((each) => !enabled.includes(each));
    }
    const folders = new Set(required(machine).flatMap((controller) => controllerFolder(machine, controller, path) ?? []));
    const found = await Promise.all(Array.from(folders, async (folder) => ((await files.isFolder(folder)) ? [] : [folder])));
    return found.flat();
  }

  async function readText(name: CgroupName, controller: string, file: string): Promise<string | undefined> {
    const folder = controllerFolder(await hierarchy(), controller, driver.path(name));
    if (folder === undefined) return undefined;
    return files.read(`${folder}/${file}`).then(
      (text) => text.trim(),
      () => undefined,
    );
  }

  return {
    hierarchy,
    path: driver.path,
    async create(name, resources = {}) {
      await driver.create(name, resources, await hierarchy());
      await createFolders(files, await hierarchy(), driver.path(name)).catch((error) => {
        throw failed('create the cgroup', driver.path(name), error);
      });
      await write(name, resources);
    },
    async update(name, resources) {
      await driver.update(name, resources, await hierarchy());
      await write(name, resources);
    },
    async remove(name) {
      if (name.length === 0) throw invalidOption('name', 'a cgroup below the root', name);
      const folders = await allFolders(name);
      // The runtime removes the cgroups of containers, so most often the folders are empty.
      const areRemoved = await removeEmptyFolders(folders);
      if (!areRemoved) await killAll(name);
      await driver.remove(name);
      if (areRemoved) return;
      for (const folder of folders) {
        await removeFolder(folder).catch((error) => Promise.reject(failed('remove the cgroup', driver.path(name), error)));
      }
    },
    async removeEmpty(name) {
      if (name.length === 0) throw invalidOption('name', 'a cgroup below the root', name);
      if ((await pids(name)).length > 0) return false;
      for (const folder of await allFolders(name)) if (!(await removeEmptyTree(folder))) return false;
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
      if (lacking.length === 0) return;
      const what = (await hierarchy()).version === 1 ? 'paths' : 'controllers';
      throw new NodeAgentError(
        cgroupsErrorCodes.cgroupInvalid,
        `cgroup "${driver.path(name)}" has some missing ${what}: ${lacking.join(', ')}`,
        {
          hint: 'Create the cgroup for each controller, or remove it so that it is created.',
          details: { path: driver.path(name), missing: lacking },
        },
      );
    },
    async children(name) {
      const lists = await Promise.all((await belowRoots(name)).map((folder) => files.folders(folder).catch(() => [])));
      const path = driver.path(name).replace(/\/$/, '');
      return Array.from(new Set(lists.flat()))
        .sort()
        .map((each) => driver.parse(`${path}/${each}`))
        .filter((each) => each.length === name.length + 1);
    },
    pids,
    async memoryUsage(name) {
      const { version } = await hierarchy();
      const text = await readText(name, 'memory', version === 1 ? 'memory.usage_in_bytes' : 'memory.current');
      return text === undefined ? undefined : BigInt(text);
    },
    async read(name) {
      const { version } = await hierarchy();
      const texts = async (controller: string, ...names: string[]) =>
        (await Promise.all(names.map((file) => readText(name, controller, file)))).map((text, index) => {
          if (text !== undefined) return text;
          throw failed(`read ${names[index]}`, driver.path(name), new Error('it does not exist'));
        });
      if (version === 1) {
        const [shares, quota, period] = await texts('cpu', 'cpu.shares', 'cpu.cfs_quota_us', 'cpu.cfs_period_us');
        const [limit = '0'] = await texts('memory', 'memory.limit_in_bytes');
        const memory = BigInt(limit) >= unlimitedV1 ? -1n : BigInt(limit);
        return { cpuShares: Number(shares), cpuQuota: Number(quota), cpuPeriod: Number(period), memory };
      }
      const [weight, max = ''] = await texts('cpu', 'cpu.weight', 'cpu.max');
      const [limit = 'max'] = await texts('memory', 'memory.max');
      const [quota, period] = words(max);
      return {
        cpuShares: cpuWeightToShares(Number(weight)),
        cpuQuota: quota === 'max' ? -1 : Number(quota),
        cpuPeriod: Number(period),
        memory: limit === 'max' ? -1n : BigInt(limit),
      };
    },
  };
}

function failed(action: string, path: string, cause: unknown): NodeAgentError {
  return new NodeAgentError(cgroupsErrorCodes.cgroupFailed, `failed to ${action} of "${path}": ${errorMessage(cause)}`, {
    cause,
    retryable: errorCode(cause) === 'EBUSY',
    details: { path },
  });
}
