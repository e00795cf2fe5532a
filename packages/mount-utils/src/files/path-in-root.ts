import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { refused, unsafePath } from './safe-open.js';

/** As the kernel's: path_resolution(7). */
const maxLinks = 40;

/**
 * The path of a file in a tree, without links. Links lead where they lead in a container whose root is the tree: absolute ones begin at the tree, and `..`
 * does not leave it. Rejects with `UnsafePath` if it does not exist. If the tree changes meanwhile, the path may have links: open it with `safeOpen`.
 */
export async function pathInRoot(root: string, path: string): Promise<string> {
  const rest = path.split('/');
  const reached: string[] = [];
  for (let links = 0, name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      reached.pop();
      continue;
    }
    const place = join(root, ...reached, name);
    const facts = await lstat(place).catch((error) => Promise.reject(refused(error)));
    if (!facts.isSymbolicLink()) {
      if (!facts.isDirectory() && rest.some((next) => next !== '')) throw unsafePath('notADirectory', `${name} is not a folder`);
      reached.push(name);
      continue;
    }
    if (++links > maxLinks) throw unsafePath('symlinkLoop', 'too many links');
    const link = await readlink(place).catch((error) => Promise.reject(refused(error)));
    if (link.startsWith('/')) reached.length = 0;
    rest.unshift(...link.split('/'));
  }
  return join(root, ...reached);
}
