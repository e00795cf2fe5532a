import fs, { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve, sep } from 'node:path';

/** Functions of node:fs that change files, with the places of the paths that they change among their arguments. */
const writers: Record<string, number[]> = {
  ...{ appendFile: [0], chmod: [0], chown: [0], createWriteStream: [0], truncate: [0], utimes: [0], writeFile: [0], open: [0] },
  ...{ copyFile: [1], cp: [1], lchmod: [0], lchown: [0], lutimes: [0], link: [0, 1], mkdir: [0], mkdtemp: [0], rename: [0, 1] },
  ...{ rm: [0], rmdir: [0], symlink: [1], unlink: [0] },
};

/** Those that follow a symbolic link at the path itself. */
const followers = new Set([
  'appendFile',
  'chmod',
  'chown',
  'createWriteStream',
  'truncate',
  'utimes',
  'writeFile',
  'open',
  'copyFile',
  'cp',
]);

/** A `require` for mutated code: it changes no file outside of `folder` and starts no process. Handles and descriptors count as inside, because the guarded code opened them.
 */
export function createGuardedRequire(folder: string, filename: string): (id: string) => unknown {
  const require = createRequire(filename);
  const guardedFs = { ...guard(fs, folder), promises: guard(fs.promises, folder) };
  const childProcess = Object.fromEntries(
    Object.keys(require('node:child_process')).map((name) => [name, () => refuse('start a process')]),
  );
  const replaced: Record<string, unknown> = { fs: guardedFs, 'fs/promises': guardedFs.promises, child_process: childProcess };
  return (id) => replaced[id.replace(/^node:/, '')] ?? require(id);
}

// biome-ignore lint/suspicious/noExplicitAny: functions of any shape
type AnyFunctions = Record<string, any>;

function guard(module: AnyFunctions, folder: string): AnyFunctions {
  const guarded: AnyFunctions = { ...module };
  for (const [name, value] of Object.entries(module)) {
    const plain = name.replace(/Sync$/, '');
    const places = writers[plain];
    if (places === undefined || typeof value !== 'function') continue;
    guarded[name] = (...args: unknown[]) => {
      if (plain !== 'open' || !isReadOnly(args[1])) {
        for (const place of places) checkPath(args[place], followers.has(plain), folder);
      }
      return value.apply(module, args);
    };
  }
  return guarded;
}

function isReadOnly(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) === 0;
  return typeof flags !== 'string' || flags === 'r' || flags === 'rs';
}

function checkPath(path: unknown, follows: boolean, folder: string): void {
  if (typeof path !== 'string') return;
  const isInside = (real: string) => real === folder || real.startsWith(folder + sep);
  const absolute = resolve(path);
  if (!isInside(realPathOf(follows ? absolute : dirname(absolute)))) refuse(`change ${path}`);
}

/** The nearest existing folder of a path. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return realPathOf(dirname(path));
  }
}

function refuse(what: string): never {
  throw new Error(`a mutant may not ${what}`);
}
