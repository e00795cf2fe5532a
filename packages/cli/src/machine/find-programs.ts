import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import type { Console } from '../console.js';

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The PATH of root: that of an ordinary user may lack the folders of programs for root. */
export const rootPath = ({ env, isRoot }: Pick<Console, 'env' | 'isRoot'>) =>
  isRoot ? (env.PATH ?? defaultPath) : [env.PATH, defaultPath].join(':');

/** The paths of the programs that are there, as a shell finds them in a PATH. */
export function findPrograms(names: readonly string[], path: string): Record<string, string> {
  const folders = path.split(':').filter(isAbsolute);
  const found = names.map((name) => [name, folders.map((folder) => join(folder, name)).find(isProgram)] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() && !isLesserProgram(path);
  } catch {
    return false;
  }
}

/** Those of busybox create namespaces, but bind none to a file. */
const isLesserProgram = (path: string) => ['unshare', 'nsenter'].includes(basename(path)) && basename(realpathSync(path)) === 'busybox';
