import { readFile } from 'node:fs/promises';
import { errorCode, errorMessage, type Logger, quoteText, replaceFile } from '@nodeagent/api';
import { type ContainerLookup, decodeCpuCheckpoint, encodeCpuCheckpoint } from './checkpoint.js';
import { type CpuState, emptyCpuState } from './cpu-state.js';
import { invalidState } from './errors.js';

/** Keeps the state in its file. */
export interface CpuStore {
  /** The state in the file; the empty state if there is no file. Rejects with `InvalidCpuManagerState` or the file system's error. */
  load(findContainer: ContainerLookup): Promise<CpuState>;
  /** Writes the state, or a newer one if there is one when its turn comes. A failure is logged, as in the kubelet. */
  save(): Promise<void>;
  /** Resolves when no write is in progress. */
  idle(): Promise<void>;
}

export function createCpuStore(path: string, policyName: string, currentState: () => CpuState, logger: Logger): CpuStore {
  let queued: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    queued = undefined;
    try {
      await replaceFile(path, encodeCpuCheckpoint({ policyName, state: currentState() }));
    } catch (error) {
      logger.error({ path, err: error }, 'Failed to store state to checkpoint');
    }
  }

  return {
    async load(findContainer) {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return emptyCpuState;
        throw error;
      }
      try {
        const checkpoint = decodeCpuCheckpoint(text, findContainer);
        if (checkpoint.policyName === policyName) return checkpoint.state;
        throw new Error(
          `configured policy ${quoteText(policyName)} differs from state checkpoint policy ${quoteText(checkpoint.policyName)}`,
        );
      } catch (error) {
        const wayOut = `please drain this node and delete the CPU manager checkpoint file ${quoteText(path)} before restarting Kubelet`;
        throw invalidState(path, `could not restore state from checkpoint: ${errorMessage(error)}, ${wayOut}`, error);
      }
    },
    save() {
      if (queued === undefined) {
        queued = writing.then(write);
        writing = queued;
      }
      return queued;
    },
    idle: () => writing,
  };
}
