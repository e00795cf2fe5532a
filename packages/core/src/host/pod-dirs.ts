import { NodeAgentError } from '@nodeagent/api';
import { coreErrorCodes } from '../errors.js';

/** The pod directories below the agent's root directory. */
export interface PodDirs {
  /** Path of the pod's directory. Throws `InvalidPodUID`. */
  podDir(uid: string): string;
  /** Creates `<root>/pods/<uid>` with `volumes` and `plugins`, mode 0750. Idempotent. */
  create(uid: string): Promise<void>;
  /** UIDs that have a directory. */
  list(): Promise<string[]>;
  /** Removes a pod's directory unless it contains a volume or a mount point; true if the directory no longer exists. */
  remove(uid: string): Promise<boolean>;
}

/** Returns the UID if it is a valid directory name: letters, digits, dots, dashes and underscores. Throws `InvalidPodUID`. */
export function checkedPodUid(uid: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/.test(uid))
    throw new NodeAgentError(coreErrorCodes.invalidPodUid, `pod UID ${JSON.stringify(uid)} is not a valid directory name`);
  return uid;
}
