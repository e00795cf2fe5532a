import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';

/**
 * Makes the agent's folder and takes it for this process: two agents would end each other's pods. The lock names its owner by pid and
 * start time, so that of an agent that crashed is taken over at once.
 *
 * @returns how to give it back
 * @throws NodeAgentError ROOT_DIR_UNUSABLE, ROOT_DIR_IN_USE
 */
export function lockRootDir(rootDir: string): () => void {
  const path = join(rootDir, 'agent.lock');
  const own = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(rootDir, { recursive: true, mode: 0o750 });
    writeFileSync(own, JSON.stringify({ pid: process.pid, startTime: startTimeOf('self') }));
  } catch (error) {
    throw new NodeAgentError('ROOT_DIR_UNUSABLE', `--root-dir: cannot use ${rootDir}: ${errorMessage(error)}`, {
      cause: error,
      hint: 'name a folder that you may write to with --root-dir',
    });
  }
  try {
    while (!linkUnlessTaken(own, path)) removeLockOfTheDead(rootDir, path);
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(path, { force: true });
}

/** A hard link appears whole or not at all, and only where nothing is. */
function linkUnlessTaken(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeLockOfTheDead(rootDir: string, path: string): void {
  const owner = readOwner(path);
  if (owner?.startTime !== undefined && startTimeOf(owner.pid) === owner.startTime) {
    throw new NodeAgentError('ROOT_DIR_IN_USE', `--root-dir: ${rootDir} is in use by another agent, process ${owner.pid}`, {
      hint: 'end that agent, or give this one a folder of its own with --root-dir',
    });
  }
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return;
  }
  // Another agent may have replaced the dead one's lock with its own in between: that one goes back.
  if (readOwner(aside)?.pid !== owner?.pid) linkUnlessTaken(aside, path);
  rmSync(aside, { force: true });
}

function readOwner(path: string): { pid: number; startTime: string | undefined } | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** When a process was started, in ticks since the machine was; undefined if there is none. */
function startTimeOf(pid: number | 'self'): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name, in brackets, may have anything in it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
