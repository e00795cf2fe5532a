import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { quoteText } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';

/** As the kernel's: path_resolution(7). */
const maxLinks = 40;

/**
 * The path of a file in a tree, without links. Links lead where they lead in a container whose root is the tree: absolute ones begin at the tree, and `..`
 * does not leave it. Rejects with `InvalidSubPath`. The tree must not change meanwhile: that of an image does not.
 */
export async function imagePath(tree: string, subPath: string): Promise<string> {
  const failed = (problem: string, cause?: unknown) =>
    new NodeAgentError(imageStoreErrorCodes.invalidSubPath, `the image has no path ${quoteText(subPath)}: ${problem}`, {
      details: { path: subPath },
      ...(cause !== undefined && { cause }),
    });
  const rest = subPath.split('/');
  const reached: string[] = [];
  for (let links = 0, name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      reached.pop();
      continue;
    }
    const place = join(tree, ...reached, name);
    const facts = await lstat(place).catch((error) => Promise.reject(failed(errorMessage(error.code), error)));
    if (!facts.isSymbolicLink()) {
      if (!facts.isDirectory() && rest.some((next) => next !== '')) throw failed(`${name} is not a folder`);
      reached.push(name);
      continue;
    }
    if (++links > maxLinks) throw failed('too many links');
    const link = await readlink(place);
    if (link.startsWith('/')) reached.length = 0;
    rest.unshift(...link.split('/'));
  }
  return join(tree, ...reached);
}
