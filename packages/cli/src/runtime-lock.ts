import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, type Logger, NodeAgentError } from '@nodeagent/api';
import { lockOnMachine } from '@nodeagent/api/files';
import { lockHolderText } from '@nodeagent/api/helpers';
import { findKubelets } from '@nodeagent/core/node';

const inUse = 'RUNTIME_IN_USE';

/**
 * Locks an external runtime among the agents on the machine: each terminates the pods in its runtime that it does not know. A lock that cannot be
 * taken is logged.
 * @returns a function that releases the lock
 * @throws NodeAgentError `RUNTIME_IN_USE` naming the process of the other agent or kubelet
 */
export async function lockRuntime(endpoint: string, logger: Logger, kubelets = findKubelets): Promise<() => void> {
  const socket = socketOf(endpoint);
  const kubelet = kubelets().find(({ runtimeEndpoint }) => socketOf(runtimeEndpoint) === socket);
  if (kubelet) throw usedBy(endpoint, `a kubelet, process ${kubelet.pid}`);
  try {
    const key = createHash('sha256').update(socket).digest('hex').slice(0, 16);
    return await lockOnMachine(`runtime-${key}.lock`, (holder) => usedBy(endpoint, `another agent, ${lockHolderText(holder)}`));
  } catch (error) {
    if (errorCode(error) === inUse) throw error;
    logger.warn({ err: error, endpoint }, 'cannot lock the runtime: a second agent on it is not refused');
    return () => {};
  }
}

function usedBy(endpoint: string, what: string): NodeAgentError {
  return new NodeAgentError(inUse, `--runtime-endpoint: ${endpoint} is in use by ${what}`, {
    hint: 'Stop it, or give this agent another runtime: on one runtime each terminates the pods of the other.',
  });
}

/** One text for all spellings of a socket: links such as /var/run are resolved. The socket itself need not exist yet. */
function socketOf(endpoint: string): string {
  const path = endpoint.replace(/^unix:\/\//, '');
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
