import { existsSync, statSync } from 'node:fs';
import { type Clock, NodeAgentError, systemClock } from '@nodeagent/api';
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
  return new Reader(options);
}

class Reader implements CgroupReader {
  readonly #root: string;
  readonly #proc: string;
  readonly #clock: Clock;
  readonly #files = createFileReader();
  #node: { mounts: CgroupMounts; hasPsi: boolean } | undefined;
  #paths: CgroupPaths = { pods: new Map(), containers: new Map() };
  /** Containers without a cgroup at the last search. */
  #missing = new Set<string>();
  #searchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: CgroupReaderOptions) {
    this.#root = options.root ?? '/sys/fs/cgroup';
    this.#proc = options.proc ?? '/proc';
    this.#clock = options.clock ?? systemClock;
  }

  version(): 1 | 2 {
    return this.#known().mounts.version;
  }

  find(containerIds: readonly string[]): CgroupPaths {
    const now = this.#clock.monotonic();
    const isDue = now - this.#searchedAt >= retryMissingMs;
    if (containerIds.some((id) => !this.#paths.containers.has(id) && (isDue || !this.#missing.has(id)))) {
      const wanted = new Set(containerIds);
      this.#paths = findCgroups(this.#treeFolder(), (id) => wanted.has(id));
      this.#missing = new Set(containerIds.filter((id) => !this.#paths.containers.has(id)));
      this.#searchedAt = now;
    }
    return this.#paths;
  }

  sample(path: string, parts: SampleOptions = {}): CgroupSample | undefined {
    const sample = this.#read(path, parts);
    // Without memory stats the cgroup may have been removed during the read, and all values are invalid.
    return sample?.memory === undefined && !existsSync(this.#folderOf(path)) ? undefined : sample;
  }

  now(): number {
    return this.#clock.now();
  }

  createdAt(path: string): number | undefined {
    return statSync(this.#folderOf(path), { throwIfNoEntry: false })?.mtimeMs;
  }

  processes(path: string): number[] {
    const file = this.#files.read(this.#treeFolder(), path, 'cgroup.procs', true);
    if (file === undefined) return [];
    return textOf(file).split('\n').slice(0, -1).map(Number);
  }

  interfaces(pid?: number): InterfaceCounters[] | undefined {
    const file = this.#files.read(this.#proc, pid === undefined ? '' : `/${pid}`, 'net/dev', true);
    return file && parseNetDev(file);
  }

  bootTime(): number | undefined {
    const file = this.#files.read(this.#proc, '', 'stat', true);
    const seconds = file && parseBootTime(file);
    return seconds === undefined ? undefined : Number(seconds) * 1000;
  }

  processLimits(): { maxpid?: bigint; curproc?: bigint } {
    const file = this.#files.read(this.#proc, '', 'loadavg');
    const curproc = file && parseLoadavg(file);
    return { maxpid: maxPid(this.#files, this.#proc), curproc };
  }

  diskNames(): Map<string, string> {
    const file = this.#files.read(this.#proc, '', 'diskstats', true);
    return file === undefined ? new Map() : parseDiskNames(file);
  }

  #known(): { mounts: CgroupMounts; hasPsi: boolean } {
    if (this.#node === undefined) {
      const mounts = cgroupMounts(this.#root);
      const pressure = mounts.version === 2 ? this.#files.read(this.#root, '', 'cpu.pressure') : undefined;
      this.#node = { mounts, hasPsi: pressure !== undefined && pressure.length > 0 };
    }
    return this.#node;
  }

  /** The root directory of a tree with all cgroups. */
  #treeFolder(): string {
    const { mounts } = this.#known();
    return mounts.version === 2 ? this.#root : (mounts.controllers.memory ?? mounts.controllers.cpuacct ?? this.#root);
  }

  #folderOf(path: string): string {
    return path === '/' ? this.#treeFolder() : `${this.#treeFolder()}${path}`;
  }

  #machine() {
    const file = this.#files.read(this.#proc, '', 'meminfo');
    return file && parseMeminfo(file);
  }

  #read(path: string, { processes = false, detail = false, limits }: SampleOptions): CgroupSample | undefined {
    const { mounts, hasPsi } = this.#known();
    const parts = { time: this.#clock.now(), monotonic: this.#clock.monotonic(), processes, psi: hasPsi, detail, limits };
    const whole = path === '/' ? this.#machine() : undefined;
    if (path === '/' && whole === undefined) {
      throw new NodeAgentError(statsErrorCodes.cgroupUnreadable, `cannot read the memory of the machine from ${this.#proc}/meminfo`);
    }
    return mounts.version === 2
      ? sampleV2(this.#files, this.#treeFolder(), path, parts, whole)
      : sampleV1(this.#files, mounts.controllers, path, parts, whole);
  }
}
