import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';
import { readRegularFile, replaceFile, unlinkIfExists } from '@nodeagent/api/files';
import type { TextStore } from '../attach/result-cache.js';

/** A folder of texts that only its owner can read. */
export function createFolderTexts(folder: string): TextStore {
  const unlessMissing =
    <T>(missing: T) =>
    (error: unknown): T => {
      if (errorCode(error) === 'ENOENT') return missing;
      throw error;
    };
  return {
    names: () => readdir(folder).catch(unlessMissing<string[]>([])),
    read: (name) => readRegularFile(join(folder, name)).catch(unlessMissing(undefined)),
    async write(name, text) {
      await replaceFile(join(folder, name), text, 0o700);
      // The new name of the file.
      const handle = await open(folder);
      await handle.sync().finally(() => handle.close());
    },
    async remove(name) {
      await unlinkIfExists(join(folder, name));
      // What a process left that was killed while it wrote.
      await unlinkIfExists(join(folder, `${name}.tmp`));
    },
  };
}
