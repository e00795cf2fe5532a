import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { unlinkIfExists } from '@nodeagent/api/files';
import { registrationError } from './registration-error.js';

/** Creates the folder, and removes the sockets in it: plugins notice that, and register again. */
export async function preparePluginFolder(pluginDir: string): Promise<void> {
  await mkdir(pluginDir, { recursive: true, mode: 0o750 });
  for (const entry of await readdir(pluginDir, { withFileTypes: true })) {
    if (entry.isSocket()) await unlinkIfExists(join(pluginDir, entry.name));
  }
  await writeFile(join(pluginDir, 'DEPRECATION'), '', { mode: 0o644 });
}

/** The socket of a plugin that registers with the endpoint. Throws if it is outside of the folder. */
export function endpointPath(pluginDir: string, endpoint: string): string {
  const path = resolve(pluginDir, endpoint);
  const inFolder = relative(pluginDir, path);
  if (inFolder === '' || inFolder === '..' || inFolder.startsWith(`..${sep}`)) {
    throw registrationError(`the endpoint "${endpoint}" is outside of ${pluginDir}`);
  }
  return path;
}
