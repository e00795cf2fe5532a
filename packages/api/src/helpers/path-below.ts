import { normalize } from 'node:path';

/** Whether an absolute path names something below the folder, without `.`, `..` or a slash at its end. Does no I/O. */
export function isPathBelow(path: string, folder: string): boolean {
  const start = folder.endsWith('/') ? folder : `${folder}/`;
  return path.startsWith(start) && !path.endsWith('/') && normalize(path) === path;
}
