import { NodeAgentError } from '@nodeagent/api';

const texts = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  EROFS: 'read-only file system',
  EBUSY: 'resource busy or locked',
} as const;

/** An error of a file operation, with the code and the text that Node's have. */
export function fileError(code: keyof typeof texts, operation: string, path: string): NodeAgentError {
  return new NodeAgentError(code, `${code}: ${texts[code]}, ${operation} '${path}'`);
}
