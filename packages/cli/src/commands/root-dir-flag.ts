import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Console } from '../console.js';
import type { Flag } from '../flags.js';

/** Default of `--root-dir`. */
export function defaultRootDir({ env, isRoot }: Pick<Console, 'env' | 'isRoot'>): string {
  return isRoot ? '/var/lib/nodeagent' : join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'nodeagent');
}

/** The images below a root directory. */
export const imagesRoot = (rootDir: string) => join(rootDir, 'images');

/** `--root-dir`, the root directory of the agent. */
export function rootDirFlag(console: Pick<Console, 'env' | 'isRoot'>, help: string): Flag {
  return { name: 'root-dir', value: 'DIR', default: defaultRootDir(console), help };
}
