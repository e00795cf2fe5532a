import type { Socket } from 'node:net';
import { type Clock, errorMessage, type Logger } from '@nodeagent/api';
import { createLineSplitter, formatLogPieces, type LogPiece } from './cri-log.js';
import { unknownError } from './errors.js';
import { type LogWriter, openLog } from './log-writer.js';

export async function openContainerLog(path: string, logger: Logger): Promise<LogWriter> {
  try {
    return await openLog(path, (error) => logger.warn({ path, err: error }, 'cannot write the container log'));
  } catch (error) {
    throw unknownError(`opening the container log "${path}": ${errorMessage(error)}`, error);
  }
}

/** Reads more only after the previous output is in the file: the pipe fills up and the container blocks, as on a slow terminal. */
export async function copyOutput(
  from: Socket,
  stream: 'stdout' | 'stderr',
  log: LogWriter | undefined,
  clock: Clock,
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  const splitter = createLineSplitter();
  const write = async (pieces: LogPiece[]) => {
    if (pieces.length > 0) await log?.write(formatLogPieces(pieces, stream, clock.now()));
  };
  try {
    for await (const chunk of from) {
      onPiece(chunk);
      await write(splitter.push(chunk));
    }
  } catch {
    // The pipe was closed by release or drain: keep the output received until then.
  }
  await write(splitter.end());
}
