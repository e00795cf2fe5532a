import { join } from 'node:path';
import type { FileRound } from '../fs/file-rounds.js';
import type { DiskUsage, FileSystems, FileSystemUsage, FolderUsage } from '../fs/file-systems.js';
import { createSteady, type Steady } from '../steady.js';
import type { PodEntry } from '../summary/pod-entries.js';
import type { RuntimeListing } from './runtime-listing.js';

/** Disk usage of files and sizes of file systems; unknown values are absent. */
export interface FileFigures {
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
  /** A pod's own logs, by its UID. */
  podLogs: Steady<DiskUsage>;
  /** By the pod's UID. */
  etcHosts: Steady<DiskUsage>;
  /** By container ID: a restarted container has another one, and a rotation replaces a file. */
  containerLogs: Steady<FolderUsage>;
}

export function createKnownFiles(monotonic: () => number): KnownFiles {
  return { podLogs: createSteady(monotonic), etcHosts: createSteady(monotonic), containerLogs: createSteady(monotonic) };
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
): Promise<FileFigures> {
  const figures: FileFigures = { mountpoints: new Map(), pods: [] };
  const mountpoints = new Set<string>();
  const askMountpoint = (path: string | undefined) => {
    if (!path || mountpoints.has(path)) return;
    mountpoints.add(path);
    round.ask(
      `file system of ${path}`,
      () => fileSystems.usage(path),
      (usage) => figures.mountpoints.set(path, usage),
      true,
    );
  };
  round.ask(
    `file system of the root ${rootDir}`,
    () => fileSystems.usage(rootDir),
    (usage) => {
      figures.rootFs = usage;
    },
    true,
  );
  askMountpoint(imageFs?.fsId?.mountpoint);
  askMountpoint(containerFs?.fsId?.mountpoint);
  for (const pod of pods) {
    for (const { stats } of pod.containers) askMountpoint(stats?.writableLayer?.fsId?.mountpoint);
    const files = knownFiles(pod);
    if (files.podLogs === undefined || files.etcHosts === undefined || files.logs.size < pod.containers.length) askPodFiles(pod, files);
    figures.pods.push(files);
  }

  function knownFiles({ podRef: { uid }, containers }: PodEntry): PodFileUsage {
    const logs = new Map<string, DiskUsage>();
    for (const { id, name } of containers) {
      const before = known.containerLogs.recall(id);
      const usage = before && fileSystems.again?.(before);
      if (usage !== undefined) logs.set(name, usage);
    }
    return { logs, podLogs: known.podLogs.recall(uid), etcHosts: known.etcHosts.recall(uid) };
  }

  /** Measures what is not in `files` yet. */
  function askPodFiles({ podRef: { namespace, name, uid }, containers }: PodEntry, files: PodFileUsage): void {
    if (![namespace, name, uid].every(isFileName)) return;
    const logs = join(podLogsDir, `${namespace}_${name}_${uid}`);
    if (files.podLogs === undefined) {
      const ask = () => fileSystems.filesIn(logs);
      askToRemember(logs, ask, known.podLogs, uid, (usage) => {
        files.podLogs = usage;
      });
    }
    if (files.etcHosts === undefined) {
      const hosts = join(rootDir, 'pods', uid, 'etc-hosts');
      const ask = () => fileSystems.file(hosts);
      askToRemember(hosts, ask, known.etcHosts, uid, (usage) => {
        files.etcHosts = usage;
      });
    }
    for (const container of containers) {
      if (files.logs.has(container.name) || !isFileName(container.name)) continue;
      const folder = join(logs, container.name);
      const ask = () => fileSystems.filesIn(folder);
      askToRemember(folder, ask, known.containerLogs, container.id, (usage) => files.logs.set(container.name, usage));
    }
  }

  function askToRemember<U>(
    path: string,
    ask: () => Promise<U | undefined>,
    memory: Steady<U>,
    key: string,
    onAnswer: (usage: U) => void,
  ): void {
    round.ask(path, ask, (usage) => {
      memory.remember(key, usage);
      onAnswer(usage);
    });
  }

  await round.end(signal);
  known.podLogs.endPass();
  known.etcHosts.endPass();
  known.containerLogs.endPass();
  return figures;
}

/** Names come from the runtime and must not leave the directory. */
const isFileName = (name: string) => name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
