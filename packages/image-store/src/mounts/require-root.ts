import { NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';

/** Throws `RequiresRoot` unless this process has the privilege. */
export function requireRoot(isRoot: boolean, action: string): void {
  if (isRoot) return;
  throw new NodeAgentError(imageStoreErrorCodes.requiresRoot, `cannot ${action}: this requires root`, {
    hint: 'Run as root to unpack and mount images. To pull, import, list and export them needs no privilege.',
  });
}
