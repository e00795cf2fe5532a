import { unlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { errorCode } from '../contracts/errors.js';

/**
 * Removes a FIFO or a socket; does nothing if it does not exist. Use it instead of `rm`, which inspects the file first: Node's module
 * loader takes the result of the process's last inspection for that of the path that it resolves, stops at a FIFO or socket, and then loads
 * a package under the path of its symlink, from where it does not find that package's dependencies.
 */
export async function unlinkIfExists(path: string): Promise<void> {
  await unlink(path).catch(ignoreMissing);
}

/** {@link unlinkIfExists}, synchronously. */
export function unlinkIfExistsSync(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}
