import { cleanPath } from '@nodeagent/mount-utils/decisions';
import { payloadError } from '../payload/payload.js';

/** Of file systems, in bytes. */
const maxPathLength = 4096;
const maxNameLength = 255;

/** The clean form of a file's path in a volume. Throws `InvalidPayload` for one that leads out of it or takes the writer's own names. */
export function validatePayloadPath(path: string): string {
  if (path === '') throw payloadError('invalid path: must not be empty: ""');
  if (path.startsWith('/')) throw payloadError(`invalid path: must be relative path: ${path}`);
  if (Buffer.byteLength(path) > maxPathLength) {
    throw payloadError(`invalid path: must be less than or equal to ${maxPathLength} characters`);
  }
  const elements = path.split('/');
  for (const element of elements) {
    if (element === '..') throw payloadError(`invalid path: must not contain '..': ${path}`);
    if (Buffer.byteLength(element) > maxNameLength) {
      throw payloadError(`invalid path: filenames must be less than or equal to ${maxNameLength} characters`);
    }
  }
  if (elements[0]?.startsWith('..')) throw payloadError(`invalid path: must not start with '..': ${path}`);
  return cleanPath(path);
}
