import type { Clock, Logger } from '@nodeagent/api';
import { basename, dirname, join } from '@nodeagent/api/helpers';
import type { LogFiles } from './log-files.js';
import { compressSuffix, planRotation, tmpSuffix } from './plan-rotation.js';

/** Input of {@link rotateLog}. */
export interface RotationContext {
  clock: Clock;
  files: LogFiles;
  logger: Logger;
  settings: { maxSize: bigint | number; maxFiles: number };
  /** Whether the container still runs: otherwise the runtime does not open a new log. */
  isRunning(): Promise<boolean>;
  /** Makes the runtime reopen the log at its path. */
  reopen(): Promise<void>;
  /** The log was missing at the previous check, and the runtime reopened it. */
  wasReopened: boolean;
  signal: AbortSignal;
}

/**
 * Checks one log and rotates it if it is above the size limit. No line is lost on a failure: if the runtime does not reopen the log, the
 * rotated file gets its name back. Stops early when the signal aborts. Resolves with whether the log was missing.
 */
export async function rotateLog(path: string, context: RotationContext): Promise<boolean> {
  const { clock, files, logger, settings, isRunning, reopen, wasReopened, signal } = context;
  const [folder, log] = [dirname(path), basename(path)];
  const size = await files.size(path);
  const isDue = size !== undefined && settings.maxSize >= 0 && size >= settings.maxSize;
  if (size === undefined && wasReopened) return true;
  if ((isDue || size === undefined) && !(await isRunning())) return false;
  const names = isDue ? await files.list(folder) : [];

  for (const step of planRotation({ log, size, names }, clock.now(), settings)) {
    signal.throwIfAborted();
    switch (step.action) {
      case 'reopen':
        await reopen();
        break;
      case 'remove':
        logger.debug({ file: join(folder, step.name), reason: step.reason }, 'removing a rotated log');
        await files.remove(join(folder, step.name));
        break;
      case 'compress':
        await compress(join(folder, step.name), context);
        break;
      case 'rotate':
        await renameAndReopen(path, join(folder, step.name), context);
        logger.debug({ log: path, size, rotated: step.name }, 'rotated a log');
    }
  }
  return size === undefined;
}

/** A failed compression is retried at the next rotation: it must not block the rotation of the current log. */
async function compress(file: string, { files, logger, signal }: RotationContext): Promise<void> {
  const unfinished = file + tmpSuffix;
  try {
    await files.gzip(file, unfinished, signal);
    await files.rename(unfinished, file + compressSuffix);
    await files.remove(file);
  } catch (error) {
    await files.remove(unfinished);
    signal.throwIfAborted();
    logger.warn({ file, err: error }, `failed to compress log "${file}"`);
  }
}

async function renameAndReopen(path: string, rotated: string, { files, logger, reopen }: RotationContext): Promise<void> {
  await files.rename(path, rotated);
  try {
    await reopen();
  } catch (error) {
    // The runtime may have reopened the log although the call failed: then both files are kept.
    const restored = await files.renameUnlessExists(rotated, path);
    if (restored) throw error;
    logger.debug({ log: path, err: error }, 'the runtime reopened the log although the call failed');
  }
}
