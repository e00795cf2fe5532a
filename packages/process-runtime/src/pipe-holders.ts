import { readdir, readlink, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { listPids } from './processes.js';

/**
 * The processes that hold an end of containers' output pipes. The pipes are unlinked named pipes, and /proc/<pid>/fd still shows their
 * paths: they identify a container's processes without a record of pids. Processes of other users cannot be inspected.
 */
export interface PipeHolders {
  /** Process ids by container id, for pipes of any runtime. */
  pids: ReadonlyMap<string, readonly number[]>;
  /** The containers whose pipes were created in {@link PipePlace}: those of this runtime's state folder, with or without a record. */
  ofThisRoot: ReadonlySet<string>;
}

/** Where a runtime creates its pipes. */
export interface PipePlace {
  /** The folder, with symlinks resolved. */
  folder: string;
  /** Device number of its files. A container's file system may have the same path on another device. */
  device: number;
}

/** The file name by which {@link listPipeHolders} recognises a pipe. */
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

/** One of the process's pipes for each container. */
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
