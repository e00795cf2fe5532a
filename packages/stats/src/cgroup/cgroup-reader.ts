import { existsSync, statSync } from 'node:fs';
import { type Clock, checkOptionNames, NodeAgentError, systemClock } from '@nodeagent/api';
import { statsErrorCodes } from '../errors.js';
import type { CgroupSample, MemoryLimits } from './cgroup-sample.js';
import { type CgroupPaths, findCgroups } from './cgroup-tree.js';
import { type CgroupMounts, cgroupMounts } from './cgroup-version.js';
import { createFileReader } from './file-reader.js';
import { textOf } from './kernel-file.js';
import { type InterfaceCounters, maxPid, parseBootTime, parseDiskNames, parseLoadavg, parseMeminfo, parseNetDev } from './proc-files.js';
import { sampleV1 } from './sample-v1.js';
import { sampleV2 } from './sample-v2.js';

export interface CgroupReaderOptions {
  /** Where cgroups are mounted. Default `/sys/fs/cgroup`. */
  root?: string;
  /** Default `/proc`. */
  proc?: string;
  /** Default: the system's. */
  clock?: Clock;
}

export interface SampleOptions {
  /** Counts the cgroup's processes. Default false. */
  processes?: boolean;
  /**
   * Also reads the values of the cAdvisor metrics, which takes about twice as many files: user and system time, CPU throttling and further
   * memory statistics. Default false.
   */
  detail?: boolean;
  /** Known limits, which are then not read. Default: the limits are read. */
  limits?: MemoryLimits;
}

/** Reads the cgroups of a node, of version 1 or 2, for either cgroup driver. All methods read files synchronously. */
export interface CgroupReader {
  /** The node's cgroup version. Throws `CgroupUnreadable` without cgroups. */
  version(): 1 | 2;
  /**
   * The cgroup paths of all pods and of these containers. The cgroup tree is scanned only for new containers; one without a cgroup is
   * searched again after a minute.
   */
  find(containerIds: readonly string[]): CgroupPaths;
  /** The usage of the cgroup at `path` below the root (`/` is the root); undefined if the cgroup does not exist. */
  sample(path: string, options?: SampleOptions): CgroupSample | undefined;
  /** The clock of the samples' timestamps, in milliseconds since 1970. */
  now(): number;
  /** Creation time of the cgroup in milliseconds since 1970; undefined if it does not exist. */
  createdAt(path: string): number | undefined;
  /** The process IDs of the cgroup without its descendants; empty if the cgroup does not exist. */
  processes(path: string): number[];
  /** Counters of the interfaces in the network namespace of a process, by default the agent's; undefined if they cannot be read. */
  interfaces(pid?: number): InterfaceCounters[] | undefined;
  /** Boot time of the machine in milliseconds since 1970. */
  bootTime(): number | undefined;
  /** The maximum and the current number of processes, threads included. */
  processLimits(): { maxpid?: bigint; curproc?: bigint };
  /** Names of block devices by `major:minor`. */
  diskNames(): Map<string, string>;
}

const retryMissingMs = 60_000;

/** Creates a {@link CgroupReader}. Does no I/O; the first call detects the cgroup version. */
export function createCgroupReader(options: CgroupReaderOptions = {}): CgroupReader {
  checkOptionNames('createCgroupReader', options, { root: true, proc: true, clock: true });
  const { root = '/sys/fs/cgroup', proc = '/proc', clock = systemClock } = options;
  const files = createFileReader();
  let node: { mounts: CgroupMounts; hasPsi: boolean } | undefined;
  let paths: CgroupPaths = { pods: new Map(), containers: new Map() };
  let missing = new Set<string>();
  let searchedAt = Number.NEGATIVE_INFINITY;

  const known = () => {
    if (node === undefined) {
      const mounts = cgroupMounts(root);
      const pressure = mounts.version === 2 ? files.read(root, '', 'cpu.pressure') : undefined;
      node = { mounts, hasPsi: pressure !== undefined && pressure.length > 0 };
    }
    return node;
  };
  /** The root directory of a tree with all cgroups. */
  const treeFolder = () => {
    const { mounts } = known();
    return mounts.version === 2 ? root : (mounts.controllers.memory ?? mounts.controllers.cpuacct ?? root);
  };
  const folderOf = (path: string) => (path === '/' ? treeFolder() : `${treeFolder()}${path}`);
  const machine = () => {
    const file = files.read(proc, '', 'meminfo');
    return file && parseMeminfo(file);
  };

  const read = (path: string, { processes = false, detail = false, limits }: SampleOptions): CgroupSample | undefined => {
    const { mounts, hasPsi } = known();
    const parts = { time: clock.now(), monotonic: clock.monotonic(), processes, psi: hasPsi, detail, limits };
    const whole = path === '/' ? machine() : undefined;
    if (path === '/' && whole === undefined) {
      throw new NodeAgentError(statsErrorCodes.cgroupUnreadable, `cannot read the memory of the machine from ${proc}/meminfo`);
    }
    return mounts.version === 2
      ? sampleV2(files, treeFolder(), path, parts, whole)
      : sampleV1(files, mounts.controllers, path, parts, whole);
  };

  return {
    version: () => known().mounts.version,

    find(containerIds) {
      const now = clock.monotonic();
      const isDue = now - searchedAt >= retryMissingMs;
      if (containerIds.some((id) => !paths.containers.has(id) && (isDue || !missing.has(id)))) {
        const wanted = new Set(containerIds);
        paths = findCgroups(treeFolder(), (id) => wanted.has(id));
        missing = new Set(containerIds.filter((id) => !paths.containers.has(id)));
        searchedAt = now;
      }
      return paths;
    },

    sample(path, parts = {}) {
      const sample = read(path, parts);
      // Without memory stats the cgroup may have been removed during the read, and all values are invalid.
      return sample?.memory === undefined && !existsSync(folderOf(path)) ? undefined : sample;
    },

    now: () => clock.now(),

    createdAt: (path) => statSync(folderOf(path), { throwIfNoEntry: false })?.mtimeMs,

    processes(path) {
      const file = files.read(treeFolder(), path, 'cgroup.procs', true);
      if (file === undefined) return [];
      return textOf(file).split('\n').slice(0, -1).map(Number);
    },

    interfaces(pid) {
      const file = files.read(proc, pid === undefined ? '' : `/${pid}`, 'net/dev', true);
      return file && parseNetDev(file);
    },

    bootTime() {
      const file = files.read(proc, '', 'stat', true);
      const seconds = file && parseBootTime(file);
      return seconds === undefined ? undefined : Number(seconds) * 1000;
    },

    processLimits() {
      const file = files.read(proc, '', 'loadavg');
      const curproc = file && parseLoadavg(file);
      return { maxpid: maxPid(files, proc), curproc };
    },

    diskNames() {
      const file = files.read(proc, '', 'diskstats', true);
      return file === undefined ? new Map() : parseDiskNames(file);
    },
  };
}
