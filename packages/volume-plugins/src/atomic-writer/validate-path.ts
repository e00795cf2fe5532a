import { cleanPath, utf8Length } from '@nodeagent/api/helpers';
import { payloadError } from '../payload/payload.js';

/** Limits of file systems, in bytes. */
const maxPathLength = 4096;
const maxNameLength = 255;

/** Cleans a file's path in a volume. Throws `InvalidPayload` for a path that leads out of the volume or uses the writer's reserved names. */
export function validatePayloadPath(path: string): string {
  if (path === '') throw payloadError('invalid path: must not be empty: ""');
  if (path.startsWith('/')) throw payloadError(`invalid path: must be relative path: ${path}`);
  if (utf8Length(path) > maxPathLength) {
    throw payloadError(`invalid path: must be less than or equal to ${maxPathLength} characters`);
  }
  const elements = path.split('/');
  for (const element of elements) {
    if (element === '..') throw payloadError(`invalid path: must not contain '..': ${path}`);
    if (utf8Length(element) > maxNameLength) {
      throw payloadError(`invalid path: filenames must be less than or equal to ${maxNameLength} characters`);
    }
  }
  if (elements[0]?.startsWith('..')) throw payloadError(`invalid path: must not start with '..': ${path}`);
  return cleanPath(path);
}
