import { rename } from 'node:fs/promises';
import type { CheckpointFile } from '../contracts/checkpoint-file.js';
import { errorCode, errorMessage, NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';
import { readRegularFile } from './regular-file.js';
import { replaceFile } from './replace-file.js';

/** Options of {@link createCheckpointFile}. */
export interface CheckpointFileOptions<T> {
  path: string;
  encode(state: T): string;
  /** Returns undefined if the file contains no state. Throws an Error that describes the problem of a corrupt file. */
  decode(text: string): T | undefined;
  /**
   * The code of the error for a corrupt file. Default `InvalidCheckpoint`. `details.path` is the file, `details.setAside` its new path,
   * absent if the file could not be renamed.
   */
  damagedCode?: string;
}

/**
 * A {@link CheckpointFile} that only its owner can read. For state that the agent can lose: do not use it for records whose absence grants
 * access, because a corrupt file is moved away.
 */
export function createCheckpointFile<T>(options: CheckpointFileOptions<T>): CheckpointFile<T> {
  const { path, encode, decode, damagedCode = apiErrorCodes.invalidCheckpoint } = options;
  const brokenPath = `${path}.broken`;

  async function setAside(cause: unknown): Promise<NodeAgentError> {
    const problem = `${path}: ${errorMessage(cause)}`;
    try {
      await rename(path, brokenPath);
    } catch (error) {
      const hint = `Remove ${path}; the agent runs without it and writes a new file.`;
      const message = `${problem}; failed to rename it to ${brokenPath}: ${errorMessage(error)}`;
      return new NodeAgentError(damagedCode, message, { cause, hint, details: { path } });
    }
    const hint = `The agent runs without it and writes a new file. To restore its state, stop the agent, repair ${brokenPath} and rename it to ${path}.`;
    const details = { path, setAside: brokenPath };
    return new NodeAgentError(damagedCode, `${problem}; renamed to ${brokenPath}`, { cause, hint, details });
  }

  return {
    async load() {
      let text: string;
      try {
        text = await readRegularFile(path);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
      try {
        return decode(text);
      } catch (cause) {
        throw await setAside(cause);
      }
    },
    save: async (state) => replaceFile(path, encode(state)),
  };
}
