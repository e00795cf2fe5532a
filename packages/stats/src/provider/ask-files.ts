import { join } from 'node:path';
import type { FileRound } from '../fs/file-rounds.js';
import type { DiskUsage, FileSystems, FileSystemUsage, FolderUsage } from '../fs/file-systems.js';
import type { PodEntry } from '../summary/pod-entries.js';
import { createTtlCache, type TtlCache } from '../ttl-cache.js';
import type { RuntimeListing } from './runtime-listing.js';

/** Disk usage of files and sizes of file systems; unknown values are absent. */
export interface MeasuredFiles {
  rootFs?: FileSystemUsage;
  /** File systems by the mount point that the runtime reports. */
  mountpoints: Map<string, FileSystemUsage>;
  /** In the order of the pods. */
  pods: PodFileUsage[];
}

export interface PodFileUsage {
  /** By the container's name. */
  logs: Map<string, DiskUsage>;
  podLogs?: DiskUsage;
  etcHosts?: DiskUsage;
}

/** Values that are cached for a while. */
export interface KnownFiles {
  /** Log files in a pod's log directory, by the pod's UID. */
  podLogs: TtlCache<DiskUsage>;
  /** By the pod's UID. */
  etcHosts: TtlCache<DiskUsage>;
  /** By container ID: a restarted container has another one, and a rotation replaces a file. */
  containerLogs: TtlCache<FolderUsage>;
}

export function createKnownFiles(monotonic: () => number): KnownFiles {
  return { podLogs: createTtlCache(monotonic), etcHosts: createTtlCache(monotonic), containerLogs: createTtlCache(monotonic) };
}

export interface AskFilesOptions {
  fileSystems: FileSystems;
  known: KnownFiles;
  rootDir: string;
  podLogsDir: string;
  signal: AbortSignal;
}

/** Measures everything concurrently. Rejects if an existing file system cannot be measured. */
export async function askFiles(listing: RuntimeListing, round: FileRound, options: AskFilesOptions): Promise<MeasuredFiles> {
  const { known, signal } = options;
  const measurement = new Measurement(round, options);
  measurement.askFileSystems(listing);
  for (const pod of listing.pods) measurement.askPod(pod);
  await round.end(signal);
  known.podLogs.endPass();
  known.etcHosts.endPass();
  known.containerLogs.endPass();
  return measurement.measured;
}

/** The questions of one round, and their answers. */
class Measurement {
  readonly measured: MeasuredFiles = { mountpoints: new Map(), pods: [] };
  readonly #round: FileRound;
  readonly #options: AskFilesOptions;

  constructor(round: FileRound, options: AskFilesOptions) {
    this.#round = round;
    this.#options = options;
  }

  askFileSystems({ pods, imageFs, containerFs }: RuntimeListing): void {
    const { rootDir } = this.#options;
    this.#askFileSystem(`the root ${rootDir}`, rootDir, (usage) => {
      this.measured.rootFs = usage;
    });
    const writableLayers = pods.flatMap(({ containers }) => containers.map(({ stats }) => stats?.writableLayer));
    const paths = [imageFs, containerFs, ...writableLayers].map((fileSystem) => fileSystem?.fsId?.mountpoint);
    for (const path of new Set(paths)) if (path) this.#askFileSystem(path, path, (usage) => this.measured.mountpoints.set(path, usage));
  }

  /** Uses the known values and measures the others. */
  askPod(pod: PodEntry): void {
    const files = this.#knownFiles(pod);
    const isComplete = files.podLogs !== undefined && files.etcHosts !== undefined && files.logs.size >= pod.containers.length;
    if (!isComplete) this.#askPodFiles(pod, files);
    this.measured.pods.push(files);
  }

  #askFileSystem(name: string, path: string, onAnswer: (usage: FileSystemUsage) => void): void {
    this.#round.ask(`file system of ${name}`, () => this.#options.fileSystems.usage(path), onAnswer, true);
  }

  #knownFiles({ podRef: { uid }, containers }: PodEntry): PodFileUsage {
    const { known, fileSystems } = this.#options;
    const logs = new Map<string, DiskUsage>();
    for (const { id, name } of containers) {
      const before = known.containerLogs.get(id);
      const usage = before && fileSystems.again?.(before);
      if (usage !== undefined) logs.set(name, usage);
    }
    return { logs, podLogs: known.podLogs.get(uid), etcHosts: known.etcHosts.get(uid) };
  }

  /** Measures the files that are missing in `files`. */
  #askPodFiles({ podRef: { namespace, name, uid }, containers }: PodEntry, files: PodFileUsage): void {
    if (![namespace, name, uid].every(isFileName)) return;
    const { fileSystems, known, rootDir, podLogsDir } = this.#options;
    const logs = join(podLogsDir, `${namespace}_${name}_${uid}`);
    if (files.podLogs === undefined) {
      const ask = () => fileSystems.filesIn(logs);
      this.#askAndCache(logs, ask, known.podLogs, uid, (usage) => {
        files.podLogs = usage;
      });
    }
    if (files.etcHosts === undefined) {
      const hosts = join(rootDir, 'pods', uid, 'etc-hosts');
      const ask = () => fileSystems.file(hosts);
      this.#askAndCache(hosts, ask, known.etcHosts, uid, (usage) => {
        files.etcHosts = usage;
      });
    }
    for (const container of containers) {
      if (files.logs.has(container.name) || !isFileName(container.name)) continue;
      const folder = join(logs, container.name);
      const ask = () => fileSystems.filesIn(folder);
      this.#askAndCache(folder, ask, known.containerLogs, container.id, (usage) => files.logs.set(container.name, usage));
    }
  }

  #askAndCache<U>(path: string, ask: () => Promise<U | undefined>, cache: TtlCache<U>, key: string, onAnswer: (usage: U) => void): void {
    this.#round.ask(path, ask, (usage) => {
      cache.set(key, usage);
      onAnswer(usage);
    });
  }
}

/** Names come from the runtime and must not leave the directory. */
const isFileName = (name: string) => name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
