import { mkdirSync } from 'node:fs';
import { errorCode, errorMessage, type LockHolder, lockExclusively, lockHolderText, NodeAgentError } from '@nodeagent/api';

const inUse = 'ROOT_DIR_IN_USE';

/**
 * Creates `--root-dir` if it is missing, and locks it: two agents must not share a root directory.
 * @returns a function that releases the lock
 * @throws NodeAgentError `ROOT_DIR_IN_USE` naming the other agent's process, `ROOT_DIR_UNUSABLE`
 */
export async function lockRootDir(rootDir: string): Promise<() => void> {
  try {
    mkdirSync(rootDir, { recursive: true, mode: 0o750 });
    return await lockExclusively(rootDir, 'agent.lock', (holder) => heldBy(rootDir, holder));
  } catch (error) {
    if (errorCode(error) === inUse) throw error;
    throw new NodeAgentError('ROOT_DIR_UNUSABLE', `--root-dir: cannot use ${rootDir}: ${errorMessage(error)}`, {
      cause: error,
      hint: 'set --root-dir to a writable directory',
    });
  }
}

function heldBy(rootDir: string, holder: LockHolder | undefined): NodeAgentError {
  return new NodeAgentError(inUse, `--root-dir: ${rootDir} is in use by another agent, ${lockHolderText(holder)}`, {
    hint: 'stop that agent, or set --root-dir to another directory',
  });
}
