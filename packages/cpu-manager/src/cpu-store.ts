import { type CheckpointFile, errorMessage, type Logger } from '@nodeagent/api';
import { createCheckpointSaver, quoteText } from '@nodeagent/api/helpers';
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

/** Options of {@link createCpuStore}. */
export interface CpuStoreOptions {
  /** Path of the file, for errors. */
  path: string;
  file: Pick<CheckpointFile<string>, 'load' | 'save'>;
  policyName: string;
  currentState(): CpuState;
  logger: Logger;
}

export function createCpuStore({ path, file, policyName, currentState, logger }: CpuStoreOptions): CpuStore {
  const saver = createCheckpointSaver(
    file,
    () => encodeCpuCheckpoint({ policyName, state: currentState() }),
    (error) => logger.error({ path, err: error }, 'Failed to store state to checkpoint'),
  );

  return {
    async load(findContainer) {
      const text = await file.load();
      if (text === undefined) return emptyCpuState;
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
      saver.save();
      return saver.saved();
    },
    idle: saver.saved,
  };
}
