import { chmod, lstat, mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Server, ServerCredentials } from '@grpc/grpc-js';
import { errorCode, errorMessage, unlinkIfExists } from '@nodeagent/api';
import { criError } from './errors.js';

/** Removes a socket that nobody answers on; does nothing where there is none. */
export async function removeStaleSocket(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw listenError(path, error);
  });
  if (stats === undefined) return;
  if (!stats.isSocket()) {
    throw criError('CRI_SOCKET_PATH_TAKEN', `${path} exists and is not a socket`, {
      hint: 'Choose another path, or remove what is there.',
      details: { socket: path },
    });
  }
  const refusal = await connectionError(path);
  if (refusal === undefined) {
    throw criError('CRI_SOCKET_IN_USE', `another process serves ${path}`, {
      hint: 'Stop that process, or choose another path.',
      details: { socket: path },
    });
  }
  if (errorCode(refusal) !== 'ECONNREFUSED' && errorCode(refusal) !== 'ENOENT') throw listenError(path, refusal);
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

/** Listens on a free path, making its folder where that is missing. */
export async function bindSocket(server: Server, credentials: ServerCredentials, path: string, mode: number): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${path}`, credentials, (error) => (error ? reject(error) : resolve()));
    });
    await chmod(path, mode);
  } catch (error) {
    server.forceShutdown();
    throw listenError(path, error);
  }
}

function listenError(path: string, cause: unknown) {
  return criError('CRI_LISTEN_FAILED', `cannot listen on ${path}: ${errorMessage(cause)}`, {
    hint: 'The folder must exist or be creatable, and be writable for this process.',
    details: { socket: path },
    cause,
  });
}
