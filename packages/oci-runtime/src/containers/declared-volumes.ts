import { mkdirSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';
import { cleanPath } from '@nodeagent/api/helpers';
import type { Mount } from '@nodeagent/cri-api';
import { mountUtilsErrorCodes, pathInRoot } from '@nodeagent/mount-utils';
import { type RunProgram, runOrThrow } from '../programs.js';

/** A copy of what an image has in a volume takes as long as the disk needs. */
const copyTimeoutMs = 600_000;

export interface DeclaredVolumesInput {
  /** Of the image configuration. */
  paths: readonly string[];
  /** Those of the request: each replaces the volume at its path. */
  mounts: readonly Mount[];
  /** The container's folder. */
  bundle: string;
  /** The mounted root file system, which no process uses yet. */
  rootPath: string;
  run: RunProgram;
}

/**
 * Makes a folder for each volume that an image declares, with the content, owner and mode that the image has there. Resolves to these folders by the
 * paths in the container. They can be written to although the root file system is read-only. OCI image specification, `Volumes`.
 */
export async function makeDeclaredVolumes({ paths, mounts, bundle, rootPath, run }: DeclaredVolumesInput): Promise<Record<string, string>> {
  const requested = new Set(mounts.map(({ containerPath = '' }) => cleanPath(containerPath)));
  const wanted = new Set(paths.map((path) => cleanPath(`/${path}`)).filter((path) => path !== '/' && !requested.has(path)));
  const folders: Record<string, string> = {};
  for (const path of wanted) {
    const folder = join(bundle, 'volumes', String(Object.keys(folders).length));
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const source = await folderOfImage(rootPath, path);
    if (source !== undefined) {
      const args = ['--archive', '--no-target-directory', '--', source, folder];
      await runOrThrow(run, 'cp', args, { timeoutMs: copyTimeoutMs });
    }
    folders[path] = folder;
  }
  return folders;
}

/** Undefined if the image has no folder there. */
async function folderOfImage(rootPath: string, path: string): Promise<string | undefined> {
  try {
    const found = await pathInRoot(rootPath, path);
    return (await lstat(found)).isDirectory() ? found : undefined;
  } catch (error) {
    if (errorCode(error) === mountUtilsErrorCodes.unsafePath) return undefined;
    throw error;
  }
}
