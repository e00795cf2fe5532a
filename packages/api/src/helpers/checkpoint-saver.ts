import type { CheckpointFile } from '../contracts/checkpoint-file.js';

/** Saves state that changes often: one save at a time, and of several changes only the newest state. */
export interface CheckpointSaver {
  /** Requests a save of the current state. */
  save(): void;
  /** Resolves when all requested saves have succeeded or failed. Never rejects. */
  saved(): Promise<void>;
}

/** A saver that reads the state with `current` when it writes. `failed` receives the error of a save; the next change is saved again. */
export function createCheckpointSaver<T>(
  file: Pick<CheckpointFile<T>, 'save'>,
  current: () => T,
  failed: (error: unknown) => void,
): CheckpointSaver {
  let saving: Promise<void> | undefined;
  let isDirty = false;
  const run = async () => {
    while (isDirty) {
      isDirty = false;
      await file.save(current()).catch(failed);
    }
    saving = undefined;
  };
  return {
    save() {
      isDirty = true;
      saving ??= Promise.resolve().then(run);
    },
    saved: async () => saving,
  };
}
