import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';

const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading. For paths where others may have put a pipe or a device: opening or reading one of these can take for ever, and
 * blocks one of the few threads that Node has for all files. Rejects with `NotRegularFile`, or with the file system's error.
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const handle = await open(path, flags);
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw new NodeAgentError(apiErrorCodes.notRegularFile, `${path} is not a regular file`, { details: { path } });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The text of a file that {@link openRegularFile} opens. */
export async function readRegularFile(path: string): Promise<string> {
  const handle = await openRegularFile(path);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
