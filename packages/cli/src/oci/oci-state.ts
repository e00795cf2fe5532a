import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '@nodeagent/api/files';
import { defaultRegistries } from '../commands/image/registry-flags.js';
import { imagesRoot } from '../commands/root-dir-flag.js';
import { namesIn } from '../machine/cni-folders.js';

/** The folder of the OCI runtime below the agent's root directory. */
export const ociRoot = (rootDir: string) => join(rootDir, 'oci');

/** What an agent with this root directory gives to the OCI runtime. */
export const ociFolders = (rootDir: string) => ({
  root: ociRoot(rootDir),
  sharedRoot: rootDir,
  imagesRoot: imagesRoot(rootDir),
  registries: defaultRegistries,
});

const programFile = (root: string) => join(root, 'program');

/** Path of the program that created the containers in a state folder: crun cannot manage those of runc. Undefined for a new folder. */
export function previousProgram(root: string): string | undefined {
  try {
    return readFileSync(programFile(root), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The folder is open to users: root file systems of containers are in it. */
export const recordProgram = (root: string, path: string) => replaceFile(programFile(root), `${path}\n`, 0o711);

/** Whether an earlier run has left pods, running or not. */
export const hasSandboxes = (root: string) => namesIn(join(root, 'sandboxes')).length > 0;
