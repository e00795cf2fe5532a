import { cleanPath } from './lexical-paths.js';

/** Whether the path begins at the root, as `node:path` of POSIX. */
export const isAbsolute = (path: string) => path.startsWith('/');

/** The paths, joined by slashes and normalized, as `node:path` of POSIX. */
export const join = (...paths: readonly string[]) => normalize(paths.filter((path) => path !== '').join('/'));

/** The path without empty, `.` and inner `..` elements; `.` for an empty path. A slash at its end stays. As `node:path` of POSIX. */
export function normalize(path: string): string {
  const clean = cleanPath(path);
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

/** The path of the folder that contains the last element, as `node:path` of POSIX: `.` for a name alone. */
export function dirname(path: string): string {
  const slash = path.lastIndexOf('/', lastOf(path));
  if (slash === 1 && path.startsWith('/')) return '//';
  if (slash > 0) return path.slice(0, slash);
  return isAbsolute(path) ? '/' : '.';
}

/** The last element of the path, as `node:path` of POSIX: empty for the root. */
export function basename(path: string): string {
  const end = lastOf(path) + 1;
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

/** The index of the last character that is no slash; 0 if there is none. */
function lastOf(path: string): number {
  let last = path.length - 1;
  while (last > 0 && path[last] === '/') last--;
  return Math.max(last, 0);
}
