import { type FSWatcher, watch } from 'node:fs';
import type { Logger } from '@nodeagent/api';

/** Calls back for each container whose exit code conmon writes to the folder. Returns a function that ends it. */
export function watchExits(exitDir: string, onExit: (id: string) => void, logger: Logger): () => void {
  const watcher: FSWatcher = watch(exitDir, { persistent: false }, (_event, name) => {
    // conmon writes a temporary file, whose name has a dot, and renames it.
    if (name !== null && /^[0-9a-f]{64}$/.test(name)) onExit(name);
  });
  watcher.on('error', (error) => logger.error({ path: exitDir, err: error }, 'cannot watch for exits'));
  return () => watcher.close();
}
