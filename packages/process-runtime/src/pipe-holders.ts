import { readdir, readlink, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { listPids } from './processes.js';

/**
 * The processes that hold an end of containers' output pipes. The pipes are files that were unlinked once open, and /proc/<pid>/fd still
 * shows their paths: a mark on the container's processes that needs no record of a pid. Processes of other users cannot be inspected.
 */
export interface PipeHolders {
  /** Process ids by container id, whichever runtime made the pipes. */
  pids: ReadonlyMap<string, readonly number[]>;
  /** The containers whose pipes were made in {@link PipePlace}: those of this runtime's state folder, with or without a record. */
  ofThisRoot: ReadonlySet<string>;
}

/** Where a runtime makes its pipes. */
export interface PipePlace {
  /** The folder, free of symlinks. */
  folder: string;
  /** Device number of files in it. A container's file system may have the same path, on another device. */
  device: number;
}

/** The name under which {@link listPipeHolders} recognises a pipe. */
export const pipeName = (containerId: string, unique: string, stream: string) => `${containerId}-${unique}.${stream}.pipe`;

const pipeLink = /^([0-9a-f]{64})-[0-9a-f]+\.\w+\.pipe(?: \(deleted\))?$/;

export async function listPipeHolders(place: PipePlace): Promise<PipeHolders> {
  const pids = new Map<string, number[]>();
  const ofThisRoot = new Set<string>();
  for (const pid of await listPids()) {
    if (pid === process.pid) continue;
    for (const [id, link] of await pipesOf(pid)) {
      pids.set(id, [...(pids.get(id) ?? []), pid]);
      if (!ofThisRoot.has(id) && (await isIn(place, link))) ofThisRoot.add(id);
    }
  }
  return { pids, ofThisRoot };
}

interface PipeLink {
  /** In /proc. */
  path: string;
  target: string;
}

/** One of the process's pipes of each container. */
async function pipesOf(pid: number): Promise<Map<string, PipeLink>> {
  const pipes = new Map<string, PipeLink>();
  for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    const path = `/proc/${pid}/fd/${fd}`;
    const target = await readlink(path).catch(() => '');
    const id = pipeLink.exec(basename(target))?.[1];
    if (id !== undefined) pipes.set(id, { path, target });
  }
  return pipes;
}

async function isIn({ folder, device }: PipePlace, { path, target }: PipeLink): Promise<boolean> {
  if (dirname(target) !== folder) return false;
  const info = await stat(path).catch(() => undefined);
  return info?.isFIFO() === true && info.dev === device;
}
