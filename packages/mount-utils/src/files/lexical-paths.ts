import { posix } from 'node:path';

/** The shortest equivalent path: no empty, `.` or inner `..` elements, no trailing slash; `.` for an empty path. */
export function cleanPath(path: string): string {
  const clean = posix.normalize(path);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

/** The relative path from `base` to `path`, lexically; undefined if there is none. */
export function relativePath(base: string, path: string): string | undefined {
  const [from, to] = [cleanPath(base), cleanPath(path)];
  if (from === to) return '.';
  if (from.startsWith('/') !== to.startsWith('/')) return undefined;
  const fromParts = elements(from);
  const toParts = elements(to);
  let common = 0;
  while (common < fromParts.length && common < toParts.length && fromParts[common] === toParts[common]) common++;
  if (fromParts[common] === '..') return undefined;
  return [...fromParts.slice(common).map(() => '..'), ...toParts.slice(common)].join('/');
}

const elements = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.');

/** Whether `path` is `base` or below it, lexically. */
export function isPathWithinBase(path: string, base: string): boolean {
  const relative = relativePath(base, path);
  return relative !== undefined && relative !== '..' && !relative.startsWith('../');
}

/** Whether any element of the path is `..`. */
export const hasBackstep = (path: string) => path.split('/').includes('..');
