import { lstat } from 'node:fs/promises';
import { connect } from 'node:net';
import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { unlinkIfExists } from '@nodeagent/api/files';
import { socketPathHint, socketPathProblem } from '@nodeagent/api/helpers';
import { grpcErrorCodes } from './errors.js';

/** Removes a socket on which no process listens; does nothing if there is no file. */
export async function removeStaleSocket(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw listenFailed(path, error);
  });
  if (stats === undefined) return;
  if (!stats.isSocket()) {
    throw new NodeAgentError(grpcErrorCodes.socketPathTaken, `${path} exists and is not a socket`, {
      hint: 'Choose another path, or remove the existing file.',
      details: { socket: path },
    });
  }
  const refusal = await connectionError(path);
  if (refusal === undefined) {
    throw new NodeAgentError(grpcErrorCodes.socketInUse, `another process serves ${path}`, {
      hint: 'Stop that process, or choose another path.',
      details: { socket: path },
    });
  }
  if (errorCode(refusal) !== 'ECONNREFUSED' && errorCode(refusal) !== 'ENOENT') throw listenFailed(path, refusal);
  await unlinkIfExists(path);
}

function connectionError(path: string): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('error', resolve);
    probe.once('connect', () => {
      probe.destroy();
      resolve(undefined);
    });
  });
}

export function requireSocketPath(path: string): void {
  const problem = socketPathProblem(path);
  if (problem !== undefined) throw listenFailed(path, problem, socketPathHint);
}

const folderHint = 'The folder must exist or be creatable, and be writable for this process.';

export function listenFailed(path: string, cause: unknown, hint = folderHint): NodeAgentError {
  return new NodeAgentError(grpcErrorCodes.listenFailed, `cannot listen on ${path}: ${errorMessage(cause)}`, {
    hint,
    details: { socket: path },
    cause,
  });
}
