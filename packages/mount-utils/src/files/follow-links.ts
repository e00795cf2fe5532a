import { readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The kernel's limit of links in one path. */
const maxLinks = 40;

/**
 * Follows the links of an absolute path as the kernel does, to the file or to the first name that does not exist or cannot be read: shows where
 * a path leads that `realpath` rejects. For error messages only: other processes may change the links at any time.
 */
export async function followLinks(path: string): Promise<string> {
  const names = path.split('/').reverse();
  let reached = '/';
  for (let links = 0; names.length > 0; ) {
    const next = join(reached, names.pop() ?? '');
    const link = await readLink(next);
    if (link === 'unreadable') return next;
    if (link === undefined) reached = next;
    else {
      if (++links > maxLinks) return next;
      if (link.target.startsWith('/')) reached = '/';
      names.push(...link.target.split('/').reverse());
    }
  }
  return reached;
}

/** Undefined if the path is not a link. */
async function readLink(path: string): Promise<{ target: string } | 'unreadable' | undefined> {
  try {
    return { target: await readlink(path) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EINVAL' ? undefined : 'unreadable';
  }
}
