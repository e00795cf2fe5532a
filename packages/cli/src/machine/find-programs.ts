import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';

/** Where programs of root are, although the PATH of a service or of an ordinary user may lack it. */
const systemFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The paths of the programs that are there: as a shell finds them, then in the folders of the system. */
export function findPrograms(names: readonly string[], path = ''): Record<string, string> {
  const folders = [...new Set([...path.split(':').filter(isAbsolute), ...systemFolders])];
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
