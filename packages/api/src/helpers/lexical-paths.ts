/** The shortest equivalent path: no empty, `.` or inner `..` elements, no trailing slash; `.` for an empty path. Reads no files. */
export function cleanPath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const kept: string[] = [];
  for (const element of elements(path)) {
    if (element !== '..') kept.push(element);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isAbsolute) kept.push('..');
  }
  if (isAbsolute) return `/${kept.join('/')}`;
  return kept.length === 0 ? '.' : kept.join('/');
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

/** Whether `path` is below the folder and written in the shortest way: without `.`, `..` or a slash at its end. */
export function isPathBelow(path: string, folder: string): boolean {
  return path === cleanPath(path) && path !== cleanPath(folder) && isPathWithinBase(path, folder);
}

/** Whether any element of the path is `..`. */
export const hasBackstep = (path: string) => path.split('/').includes('..');
