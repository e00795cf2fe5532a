import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';

/** An open file, as `FileHandle` of Node: users of this package need no types of Node. */
export interface RegularFile {
  readonly fd: number;
  stat(): Promise<{ readonly size: number; readonly mode: number; isFile(): boolean }>;
  stat(options: { bigint: true }): Promise<{ readonly dev: bigint; readonly ino: bigint }>;
  read<Bytes extends Uint8Array>(
    buffer: Bytes,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ bytesRead: number; buffer: Bytes }>;
  readFile(): Promise<Uint8Array>;
  readFile(encoding: 'utf8'): Promise<string>;
  createReadStream(options: { autoClose: boolean }): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a regular file for reading. For paths where others may have put a pipe or a device: opening or reading one of these can take for ever, and
 * blocks one of the few threads that Node has for all files. Rejects with `NotRegularFile`, or with the file system's error.
 *
 * @param links - whether a symbolic link in the place of the file is followed; default `follow`. `refuse` rejects with ELOOP.
 */
export async function openRegularFile(path: string, links: 'follow' | 'refuse' = 'follow'): Promise<RegularFile> {
  const handle = await open(path, links === 'refuse' ? flags | constants.O_NOFOLLOW : flags);
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
