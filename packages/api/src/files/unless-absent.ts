import { errorCode } from '../contracts/errors.js';

/** What the promise of a file operation resolves to; undefined if the file, or a folder on its path, does not exist. */
export async function unlessAbsent<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
