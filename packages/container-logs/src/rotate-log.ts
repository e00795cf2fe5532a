import { basename, dirname, join } from 'node:path';
import type { Clock, Logger } from '@nodeagent/api';
import type { LogFiles } from './log-files.js';
import { compressSuffix, planRotation, tmpSuffix } from './plan-rotation.js';

/** What the rotation of one log needs. */
export interface RotationContext {
  clock: Clock;
  files: LogFiles;
  logger: Logger;
  settings: { maxSize: bigint | number; maxFiles: number };
  /** Whether the container still runs: only then the runtime opens a new log. */
  isRunning(): Promise<boolean>;
  /** Makes the runtime go on in a new file of the log's path. */
  reopen(): Promise<void>;
  /** The log was missing at the last look and the runtime reopened it. */
  wasRemade: boolean;
  signal: AbortSignal;
}

/**
 * Looks at one log and rotates it if it is due. Whatever fails, no line is lost: the log keeps its name until the runtime goes on in
 * another file, or gets it back. Ends early when the signal aborts. Resolves with whether the log was missing.
 */
export async function rotateLog(path: string, context: RotationContext): Promise<boolean> {
  const { clock, files, logger, settings, isRunning, reopen, wasRemade, signal } = context;
  const [folder, log] = [dirname(path), basename(path)];
  const size = await files.size(path);
  const isDue = size !== undefined && settings.maxSize >= 0 && size >= settings.maxSize;
  if (size === undefined && wasRemade) return true;
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

/** A log that cannot be compressed stays as it is and is tried again at the next rotation: the one in use must not grow because of it. */
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
    // A runtime that reopened all the same has begun a new log by now: both are kept.
    const restored = await files.renameUnlessThere(rotated, path);
    if (restored) throw error;
    logger.debug({ log: path, err: error }, 'the runtime reopened the log although the call failed');
  }
}
