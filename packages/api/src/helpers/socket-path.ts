import { utf8Length } from './utf8.js';

/** Maximum length of a Unix socket's path in bytes: 108 with the final zero byte, unix(7). */
export const maxSocketPathBytes = 107;

/**
 * Why no socket can be at a path: it is too long. Undefined if it is not. Node.js cuts such a path, and then reports another file's errors, such as
 * EADDRINUSE.
 */
export function socketPathProblem(path: string): string | undefined {
  const length = utf8Length(path);
  return length <= maxSocketPathBytes ? undefined : `the path has ${length} bytes; a unix socket's has at most ${maxSocketPathBytes}`;
}

/** What to do about a {@link socketPathProblem}. */
export const socketPathHint = 'Choose a shorter path of the folder, or a symbolic link to it: of an agent, its root directory.';
