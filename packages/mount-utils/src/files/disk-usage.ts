import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { withController } from '@nodeagent/api';
import { runInThread, type TreeEntry, walkTree, walkTreeInThread } from '@nodeagent/api/files';

/** Bytes and inodes of a folder with its content. */
export interface DiskUsage {
  bytes: bigint;
  inodes: bigint;
}

type MaybePromise<T> = T | Promise<T>;

/** Counts the entries of a walk, a file with several hard links once. Threads run it from its text: it refers to nothing outside of itself. */
function createCount(lstat: (place: string) => MaybePromise<BigIntStats>) {
  const blockBytes = 512n;
  const total: DiskUsage = { bytes: 0n, inodes: 0n };
  const counted = new Set<bigint>();

  const add = (kind: TreeEntry['kind'], { ino, nlink, blocks }: BigIntStats): void => {
    if (nlink > 1n && kind !== 'folder') {
      if (counted.has(ino)) return;
      counted.add(ino);
    }
    total.bytes += blocks * blockBytes;
    total.inodes++;
  };
  return {
    total,
    visit({ place, kind }: TreeEntry): MaybePromise<void> {
      if (kind === 'mount') return;
      const facts = lstat(place);
      return facts instanceof Promise ? facts.then((each) => add(kind, each)) : add(kind, facts);
    },
  };
}

/** A folder with more entries is counted by a thread: starting one takes as much CPU as counting some hundred entries without. */
const maxEntriesWithoutThread = 200;

/**
 * Bytes and inodes of a folder with its content, counted as du(1) does: a file with several hard links once, no other mounts, no symbolic links
 * followed. Files that are removed meanwhile are not counted. See {@link walkTree} for what a container that changes the folder meanwhile can do.
 * `inThread` counts a large folder; default: {@link countInThread}.
 */
export async function diskUsage(root: string, signal: AbortSignal, inThread = countInThread): Promise<DiskUsage> {
  const { total, visit } = createCount((place) => lstat(place, { bigint: true }));
  const tooLarge = new Error('too large');
  const countHere = (own: AbortController) => {
    let visited = 0;
    const visitSmall = (entry: TreeEntry) => {
      if (++visited > maxEntriesWithoutThread) own.abort(tooLarge);
      return visit(entry);
    };
    return walkTree(root, visitSmall, own.signal);
  };
  try {
    await withController(signal, countHere);
    return total;
  } catch (error) {
    if (error !== tooLarge) throw error;
  }
  return inThread(root, signal);
}

// Compilers that keep the names of functions call `__name`.
const program = () => `
  const { parentPort, workerData } = require('node:worker_threads');
  const { lstatSync } = require('node:fs');
  const __name = (named) => named;
  const { total, visit } = (${createCount})((place) => lstatSync(place, { bigint: true }));
  ${walkTreeInThread()}(workerData, visit).then(() => parentPort.postMessage(total));
`;

/** Counts in a thread, which ends afterwards, or when the signal aborts. */
export const countInThread = (root: string, signal: AbortSignal): Promise<DiskUsage> => runInThread(program(), root, signal);
