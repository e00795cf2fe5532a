import type { CheckpointFile, Logger } from '@nodeagent/api';
import { createCheckpointFile } from '@nodeagent/api/files';
import { createCheckpointSaver } from '@nodeagent/api/helpers';
import { type DeviceCheckpoint, decodeDeviceCheckpoint, encodeDeviceCheckpoint } from './checkpoint.js';
import type { DeviceTable } from './device-table.js';
import type { DeviceManagerOptions } from './options.js';

/** The checkpoint of the devices and their containers. */
export interface SavedDevices {
  /** Whether a checkpoint exists, even one that cannot be read. */
  readonly exists: boolean;
  /** Why the last save failed; undefined if it did not. */
  readonly error: unknown;
  /** Undefined without a checkpoint, or if it cannot be read, which is logged. */
  load(): Promise<DeviceCheckpoint | undefined>;
  /** Saves the table at the next turn; changes until then are saved together. */
  save(): void;
  /** Resolves when all changes are saved, or saving has failed. */
  saved(): Promise<void>;
}

export interface SavedDevicesOptions extends Pick<DeviceManagerOptions, 'pluginDir' | 'store'> {
  table: Pick<DeviceTable, 'resources' | 'podDevices'>;
  logger: Logger;
}

export function createSavedDevices({ pluginDir, store, table, logger }: SavedDevicesOptions): SavedDevices {
  const file = store ? storedCheckpoint(store) : checkpointFile(pluginDir);
  let exists = false;
  let error: unknown;

  const saver = createCheckpointSaver(
    {
      async save(checkpoint: DeviceCheckpoint) {
        error = undefined;
        await file.save(checkpoint);
        exists = true;
      },
    },
    () => ({
      records: table.podDevices.all(),
      registered: Object.fromEntries(Array.from(table.resources, ([resource, { healthy }]) => [resource, [...healthy]])),
    }),
    (cause) => {
      error = cause;
      logger.error({ err: cause }, 'failed to write the checkpoint of the device manager');
    },
  );

  return {
    get exists() {
      return exists;
    },
    get error() {
      return error;
    },
    async load() {
      try {
        const checkpoint = await file.load();
        exists ||= checkpoint !== undefined;
        return checkpoint;
      } catch (cause) {
        exists = true;
        logger.error({ err: cause }, 'continue after failing to read checkpoint file: device allocation info may NOT be up-to-date');
        return undefined;
      }
    },
    save: saver.save,
    saved: saver.saved,
  };
}

function checkpointFile(pluginDir: string): CheckpointFile<DeviceCheckpoint> {
  return createCheckpointFile({
    path: `${pluginDir}/kubelet_internal_checkpoint`,
    encode: encodeDeviceCheckpoint,
    decode: decodeDeviceCheckpoint,
  });
}

/** A checkpoint whose text a port keeps. */
function storedCheckpoint(store: NonNullable<DeviceManagerOptions['store']>): CheckpointFile<DeviceCheckpoint> {
  return {
    async load() {
      const text = await store.load();
      return text === undefined ? undefined : decodeDeviceCheckpoint(text);
    },
    save: (checkpoint) => store.save(encodeDeviceCheckpoint(checkpoint)),
  };
}
