import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

/** The repository's web address. The root package.json is the only file that sets it; all others are written or checked from it. */
export const repositoryUrl = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).homepage;

const isFolder = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The web address of a file or folder on the main branch. `path` is relative to the repository's root. */
export const webAddressOf = (path) => `${repositoryUrl}/${isFolder(path) ? 'tree' : 'blob'}/main/${path}`;
