import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';

const inUse = 'ROOT_DIR_IN_USE';

/**
 * Creates `--root-dir` if it is missing, and locks it: two agents must not share a root directory.
 * @returns a function that releases the lock
 * @throws NodeAgentError `ROOT_DIR_IN_USE` naming the other agent's process, `ROOT_DIR_UNUSABLE`
 */
export async function lockRootDir(rootDir: string): Promise<() => void> {
  const { lockFile } = await import('@nodeagent/process-runtime');
  try {
    mkdirSync(rootDir, { recursive: true, mode: 0o750 });
    return await lockFile(join(rootDir, 'agent.lock'), (pid) => heldBy(rootDir, pid));
  } catch (error) {
    if (errorCode(error) === inUse) throw error;
    throw new NodeAgentError('ROOT_DIR_UNUSABLE', `--root-dir: cannot use ${rootDir}: ${errorMessage(error)}`, {
      cause: error,
      hint: 'set --root-dir to a writable directory',
    });
  }
}

function heldBy(rootDir: string, pid: number): NodeAgentError {
  return new NodeAgentError(inUse, `--root-dir: ${rootDir} is in use by another agent, process ${pid}`, {
    hint: 'stop that agent, or set --root-dir to another directory',
  });
}
