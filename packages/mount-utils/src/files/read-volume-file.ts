import { readFile } from 'node:fs/promises';
import { NodeAgentError } from '@nodeagent/api';
import { mountUtilsErrorCodes } from '../errors.js';
import { handlePath, openSubPath, unsafePath } from './safe-open.js';

const maxBytes = 1024 * 1024;

/**
 * Reads the text of a regular file in a volume, at most 1 MiB; undefined if it does not exist. Follows links that stay in the volume.
 * Rejects with `UnsafePath`.
 */
export async function readVolumeFile(volumePath: string, path: string): Promise<string | undefined> {
  const handle = await openSubPath(volumePath, path).catch((error: unknown) => {
    if (error instanceof NodeAgentError && error.code === mountUtilsErrorCodes.unsafePath && error.details.reason === 'notFound') return;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw unsafePath('other', `${path} is not a regular file`);
    if (facts.size > maxBytes) throw unsafePath('other', `${path} is larger than ${maxBytes} bytes`);
    return await readFile(handlePath(handle), 'utf8');
  } finally {
    await handle.close();
  }
}
