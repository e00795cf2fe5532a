import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { lockExclusively } from '@nodeagent/api/files';
import { lockHolderText } from '@nodeagent/api/helpers';
import { findKubelets } from '@nodeagent/core/node';

const inUse = 'ROOT_DIR_IN_USE';

/**
 * Creates `--root-dir` if it is missing, and locks it: two agents, or an agent and a kubelet, must not share a root directory.
 * @returns a function that releases the lock
 * @throws NodeAgentError `ROOT_DIR_IN_USE` naming the process of the other one, `ROOT_DIR_UNUSABLE`
 */
export async function lockRootDir(rootDir: string): Promise<() => void> {
  const kubelet = findKubelets().find((each) => resolve(each.rootDir) === resolve(rootDir));
  if (kubelet) throw usedBy(rootDir, `a kubelet, process ${kubelet.pid}`);
  try {
    mkdirSync(rootDir, { recursive: true, mode: 0o750 });
    return await lockExclusively(rootDir, 'agent.lock', (holder) => usedBy(rootDir, `another agent, ${lockHolderText(holder)}`));
  } catch (error) {
    if (errorCode(error) === inUse) throw error;
    throw new NodeAgentError('ROOT_DIR_UNUSABLE', `--root-dir: cannot use ${rootDir}: ${errorMessage(error)}`, {
      cause: error,
      hint: 'set --root-dir to a writable directory',
    });
  }
}

function usedBy(rootDir: string, what: string): NodeAgentError {
  return new NodeAgentError(inUse, `--root-dir: ${rootDir} is in use by ${what}`, {
    hint: 'stop it, or set --root-dir to another directory',
  });
}
