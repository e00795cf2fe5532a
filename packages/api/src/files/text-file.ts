import type { CheckpointFile } from '../contracts/checkpoint-file.js';
import { createCheckpointFile } from './checkpoint-file.js';

/**
 * A {@link CheckpointFile} whose state is its text. A corrupt text stays in place, because only its reader knows the format: for state that the agent
 * must not lose, such as which containers have which CPUs.
 */
export function createTextFile(path: string): CheckpointFile<string> {
  return createCheckpointFile({ path, encode: (text) => text, decode: (text) => text });
}
