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
export async function askFiles(
  { pods, imageFs, containerFs }: RuntimeListing,
  round: FileRound,
  { fileSystems, known, rootDir, podLogsDir, signal }: AskFilesOptions,
): Promise<MeasuredFiles> {
  const measured: MeasuredFiles = { mountpoints: new Map(), pods: [] };
  const mountpoints = new Set<string>();
  const askMountpoint = (path: string | undefined) => {
    if (!path || mountpoints.has(path)) return;
    mountpoints.add(path);
    round.ask(
      `file system of ${path}`,
      () => fileSystems.usage(path),
      (usage) => measured.mountpoints.set(path, usage),
      true,
    );
  };
  round.ask(
    `file system of the root ${rootDir}`,
    () => fileSystems.usage(rootDir),
    (usage) => {
      measured.rootFs = usage;
    },
    true,
  );
  askMountpoint(imageFs?.fsId?.mountpoint);
  askMountpoint(containerFs?.fsId?.mountpoint);
  for (const pod of pods) {
    for (const { stats } of pod.containers) askMountpoint(stats?.writableLayer?.fsId?.mountpoint);
    const files = knownFiles(pod);
    if (files.podLogs === undefined || files.etcHosts === undefined || files.logs.size < pod.containers.length) askPodFiles(pod, files);
    measured.pods.push(files);
  }

  function knownFiles({ podRef: { uid }, containers }: PodEntry): PodFileUsage {
    const logs = new Map<string, DiskUsage>();
    for (const { id, name } of containers) {
      const before = known.containerLogs.get(id);
      const usage = before && fileSystems.again?.(before);
      if (usage !== undefined) logs.set(name, usage);
    }
    return { logs, podLogs: known.podLogs.get(uid), etcHosts: known.etcHosts.get(uid) };
  }

  /** Measures the files that are missing in `files`. */
  function askPodFiles({ podRef: { namespace, name, uid }, containers }: PodEntry, files: PodFileUsage): void {
    if (![namespace, name, uid].every(isFileName)) return;
    const logs = join(podLogsDir, `${namespace}_${name}_${uid}`);
    if (files.podLogs === undefined) {
      const ask = () => fileSystems.filesIn(logs);
      askAndCache(logs, ask, known.podLogs, uid, (usage) => {
        files.podLogs = usage;
      });
    }
    if (files.etcHosts === undefined) {
      const hosts = join(rootDir, 'pods', uid, 'etc-hosts');
      const ask = () => fileSystems.file(hosts);
      askAndCache(hosts, ask, known.etcHosts, uid, (usage) => {
        files.etcHosts = usage;
      });
    }
    for (const container of containers) {
      if (files.logs.has(container.name) || !isFileName(container.name)) continue;
      const folder = join(logs, container.name);
      const ask = () => fileSystems.filesIn(folder);
      askAndCache(folder, ask, known.containerLogs, container.id, (usage) => files.logs.set(container.name, usage));
    }
  }

  function askAndCache<U>(
    path: string,
    ask: () => Promise<U | undefined>,
    cache: TtlCache<U>,
    key: string,
    onAnswer: (usage: U) => void,
  ): void {
    round.ask(path, ask, (usage) => {
      cache.set(key, usage);
      onAnswer(usage);
    });
  }

  await round.end(signal);
  known.podLogs.endPass();
  known.etcHosts.endPass();
  known.containerLogs.endPass();
  return measured;
}

/** Names come from the runtime and must not leave the directory. */
const isFileName = (name: string) => name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
