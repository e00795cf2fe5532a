import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { failedPrecondition } from '../errors.js';

/** Throws `CRI_FAILED_PRECONDITION` unless each user may pass through a folder and those above: root in a user namespace is one. */
export function requireReachable(folder: string): void {
  for (let path = folder; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) {
      throw failedPrecondition(`a user namespace cannot have files below ${path}: its users may not enter that folder`, {
        hint: `Run "chmod o+x ${path}", or choose another root folder.`,
      });
    }
    if (path === dirname(path)) return;
  }
}
