import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, NodeAgentError } from '@nodeagent/api';
import { errorCodes } from './errors.js';
import { type ProcessRef, parseStat, readProcess } from './processes.js';

/**
 * Makes the root folder this process's own. The lock names a process by pid and start time, so one whose owner crashed is taken over
 * at once. One process may not open the same root twice either.
 *
 * @returns the function that gives it back
 * @throws NodeAgentError RuntimeRootLocked
 */
export async function lockRoot(root: string): Promise<() => void> {
  const path = join(root, 'lock');
  const own = `${path}.${process.pid}.${randomBytes(8).toString('hex')}`;
  const text = `${JSON.stringify({ pid: process.pid, startTime: parseStat(readFileSync('/proc/self/stat', 'utf8'))?.startTime })}\n`;
  writeFileSync(own, text, { mode: 0o600 });
  try {
    while (!tryLink(own, path)) await removeStale(root, path);
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(path, { force: true });
}

/** A hard link appears whole or not at all, and only where nothing is. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(root: string, path: string): Promise<void> {
  const text = readText(path);
  if (text === undefined) return;
  const owner = parseOwner(text);
  const holder = owner && (await readProcess(owner.pid));
  if (owner && holder?.startTime === owner.startTime && !holder.zombie) {
    throw new NodeAgentError(
      errorCodes.rootLocked,
      `${root} is in use by process ${owner.pid}: two runtimes cannot share their state folder`,
      { hint: 'Stop that process, or give this one another root.', details: { root, pid: owner.pid } },
    );
  }
  const aside = `${path}.stale.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  // Another process may have replaced the stale lock with its own just before: that one goes back.
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
