import { join } from 'node:path';
import type { FileRound } from '../fs/file-rounds.js';
import type { DiskUsage, FileSystems, FileSystemUsage, FolderUsage } from '../fs/file-systems.js';
import type { SteadyFiles } from '../fs/steady-files.js';
import type { PodEntry } from '../summary/pod-entries.js';
import type { RuntimeListing } from './runtime-listing.js';

/** What files take, and how large file systems are; what is absent is unknown. */
export interface FileFigures {
  rootFs?: FileSystemUsage;
  /** File systems by the mount point that the runtime names. */
  mountpoints: Map<string, FileSystemUsage>;
  /** In the order of the pods. */
  pods: PodFiles[];
}

export interface PodFiles {
  /** By the container's name. */
  logs: Map<string, DiskUsage>;
  podLogs?: DiskUsage;
  etcHosts?: DiskUsage;
}

export interface AskFilesOptions {
  fileSystems: FileSystems;
  /** A pod's own files beside its containers', which hardly change. */
  steady: SteadyFiles;
  /** Which logs a container has, by its id: another run of it has another id, and a rotation puts another file in the place of one. */
  containerLogs: SteadyFiles<FolderUsage>;
  rootDir: string;
  podLogsDir: string;
  signal: AbortSignal;
}

/** Asks for all of it side by side. Rejects if a file system that is there cannot be asked. */
export async function askFiles(
  { pods, imageFs, containerFs }: RuntimeListing,
  round: FileRound,
  { fileSystems, steady, containerLogs, rootDir, podLogsDir, signal }: AskFilesOptions,
): Promise<FileFigures> {
  const figures: FileFigures = { mountpoints: new Map(), pods: [] };
  const askMountpoint = (path: string | undefined) => {
    if (!path) return;
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
    figures.pods.push(askPodFiles(pod));
  }

  function askPodFiles({ podRef: { namespace, name, uid }, containers }: PodEntry): PodFiles {
    const files: PodFiles = { logs: new Map() };
    const askSteady = (path: string, ask: () => Promise<DiskUsage | undefined>, onAnswer: (usage: DiskUsage) => void) => {
      const known = steady.recall(path);
      if (known !== undefined) return onAnswer(known);
      round.ask(path, ask, (usage) => {
        steady.remember(path, usage);
        onAnswer(usage);
      });
    };
    if (![namespace, name, uid].every(isFileName)) return files;
    const logs = join(podLogsDir, `${namespace}_${name}_${uid}`);
    askSteady(
      logs,
      () => fileSystems.filesIn(logs),
      (usage) => {
        files.podLogs = usage;
      },
    );
    const hosts = join(rootDir, 'pods', uid, 'etc-hosts');
    askSteady(
      hosts,
      () => fileSystems.file(hosts),
      (usage) => {
        files.etcHosts = usage;
      },
    );
    for (const container of containers) {
      if (!isFileName(container.name)) continue;
      const folder = join(logs, container.name);
      const known = containerLogs.recall(container.id);
      round.ask(
        folder,
        () => fileSystems.filesIn(folder, known),
        (usage) => {
          files.logs.set(container.name, usage);
          if (usage.files !== known?.files) containerLogs.remember(container.id, usage);
        },
      );
    }
    return files;
  }

  await round.end(signal);
  steady.endPass();
  containerLogs.endPass();
  return figures;
}

/** Names come from the runtime: none may lead elsewhere. */
const isFileName = (name: string) => name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
