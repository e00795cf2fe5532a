import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { errorCode } from '@nodeagent/api';
import { type ProcessRef, parseStat, readProcess } from './processes.js';

/**
 * Creates a lock file with this process's pid and start time. A lock of a crashed process, or a damaged lock, is replaced at once. A
 * process cannot hold the same lock twice.
 *
 * @param path - its folder must exist
 * @param heldBy - the error to reject with if another running process, or this one, holds the lock
 * @returns a function that releases the lock
 */
export async function lockFile(path: string, heldBy: (pid: number) => Error): Promise<() => void> {
  const own = `${path}.${process.pid}.${randomBytes(8).toString('hex')}`;
  const text = `${JSON.stringify({ pid: process.pid, startTime: parseStat(readFileSync('/proc/self/stat', 'utf8'))?.startTime })}\n`;
  writeFileSync(own, text, { mode: 0o600 });
  try {
    while (!tryLink(own, path)) await removeStale(path, heldBy);
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(path, { force: true });
}

/** Creating a hard link is atomic, and fails if the target exists. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string, heldBy: (pid: number) => Error): Promise<void> {
  const text = readText(path);
  if (text === undefined) return;
  const owner = parseOwner(text);
  const holder = owner && (await readProcess(owner.pid));
  if (owner && holder?.startTime === owner.startTime && !holder.zombie) throw heldBy(owner.pid);
  const aside = `${path}.stale.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  // Another process may have replaced the stale lock in between: its lock is restored.
  if (readText(aside) !== text) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseOwner(text: string): ProcessRef | undefined {
  try {
    const { pid, startTime } = JSON.parse(text) as Partial<ProcessRef>;
    return typeof pid === 'number' && typeof startTime === 'number' ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
