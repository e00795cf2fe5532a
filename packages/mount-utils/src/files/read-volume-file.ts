import type { FileHandle } from 'node:fs/promises';
import { NodeAgentError } from '@nodeagent/api';
import { handlePath, openRegularFile } from '@nodeagent/api/files';
import { mountUtilsErrorCodes } from '../errors.js';
import { pathInRoot } from './path-in-root.js';
import { openSubPath, safeOpen, unsafePath } from './safe-open.js';

const maxBytes = 1024 * 1024;

/**
 * Reads the text of a regular file in a volume, at most 1 MiB; undefined if it does not exist. Follows links that stay in the volume.
 * Rejects with `UnsafePath`.
 */
export const readVolumeFile = (volumePath: string, path: string): Promise<string | undefined> =>
  readOpened(openSubPath(volumePath, path), path);

/**
 * As {@link readVolumeFile}, with links that lead where they lead in a container whose root is the folder: absolute ones begin there, and `..` does not leave
 * it.
 */
export const readRootFile = (root: string, path: string): Promise<string | undefined> =>
  readOpened(
    pathInRoot(root, path).then((found) => safeOpen(found, root)),
    path,
  );

async function readOpened(opening: Promise<FileHandle>, path: string): Promise<string | undefined> {
  const handle = await opening.catch((error: unknown) => {
    if (error instanceof NodeAgentError && error.code === mountUtilsErrorCodes.unsafePath && error.details.reason === 'notFound') return;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    if (!(await handle.stat()).isFile()) throw unsafePath('other', `${path} is not a regular file`);
    return await readBounded(handlePath(handle.fd), path);
  } finally {
    await handle.close();
  }
}

/** Reads the size that it checked: a container may make the file longer at any time. */
async function readBounded(place: string, path: string): Promise<string> {
  const file = await openRegularFile(place);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw unsafePath('other', `${path} is larger than ${maxBytes} bytes`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
