import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';

/** Node 22.1 and 22.10 added these. */
interface CompileCache {
  enableCompileCache(folder: string): unknown;
  flushCompileCache(): void;
  /** The folder of this version of Node and its V8 flags, in the enabled one. */
  getCompileCacheDir(): string | undefined;
}

const module: typeof nodeModule & Partial<CompileCache> = nodeModule;

/** That of `nodeagent run`, once enabled: in a folder that a variable of Node names, nothing is ours to remove. */
let runFolder: string | undefined;

/** Where compiled code is kept, of the first that applies; undefined if nothing names a folder. Root never uses a folder of its environment's user. */
export function compileCacheFolder(env: NodeJS.ProcessEnv, isRoot: boolean): string | undefined {
  const caches = env.CACHE_DIRECTORY ?? (isRoot ? '/var/cache/nodeagent' : userCache(env));
  return caches === undefined ? undefined : join(caches, 'compile-cache');
}

function userCache({ XDG_CACHE_HOME: caches, HOME: home }: NodeJS.ProcessEnv): string | undefined {
  if (caches) return join(caches, 'nodeagent');
  return home ? join(home, '.cache', 'nodeagent') : undefined;
}

/**
 * Lets Node 22 and later keep the code that V8 compiles, for the next start. `nodeagent run` has a separate folder: Node caches a file once, with
 * the functions that have run by then, which for other commands are few. Without a folder that only this user and root can
 * change, nothing is cached. Never throws.
 */
export function enableCompileCache(command: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  const uid = process.getuid?.();
  // Node itself obeys its variables NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE.
  if (module.enableCompileCache === undefined || uid === undefined || env.NODE_COMPILE_CACHE !== undefined) return;
  try {
    const caches = compileCacheFolder(env, uid === 0);
    if (caches === undefined) return;
    const folder = join(caches, command === 'run' ? 'run' : 'other');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isPrivate(realpathSync(folder), uid)) return;
    module.enableCompileCache(folder);
    if (command === 'run') runFolder = folder;
  } catch {
    // A read-only file system, or a folder of another user: the command starts without cached code.
  }
}

/**
 * Writes the code that was compiled so far, if it is not in the cache yet: a node that loses its power does not exit. Removes what other versions
 * of Node or other V8 flags have left in `nodeagent run`'s folder, which each upgrade would add to. Never throws.
 */
export async function saveCompiledCode(): Promise<void> {
  module.flushCompileCache?.();
  const folder = module.getCompileCacheDir?.();
  if (folder !== undefined && dirname(folder) === runFolder) await removeOtherCaches(folder).catch(() => {});
}

/** Removes the folders beside this one. */
export async function removeOtherCaches(folder: string): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    if (name !== basename(folder)) await rm(join(dirname(folder), name), { recursive: true });
  }
}

const writableByOthers = 0o022;
const sticky = 0o1000;

/** Whether only the user and root can change what is in the folder: it and all above it belong to them. */
export function isPrivate(folder: string, uid: number): boolean {
  for (let path = folder, below = ''; path !== below; below = path, path = dirname(path)) {
    const { mode, uid: owner } = lstatSync(path);
    if (owner !== uid && owner !== 0) return false;
    // In a sticky folder such as /tmp, only the owner can replace a file.
    const isSafe = (mode & writableByOthers) === 0 || (path !== folder && (mode & sticky) !== 0);
    if (!isSafe) return false;
  }
  return true;
}
