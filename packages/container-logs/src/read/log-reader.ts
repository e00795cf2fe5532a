import {
  type Clock,
  errorMessage,
  invalidOption,
  type Logger,
  NodeAgentError,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { isAbsolute } from '@nodeagent/api/helpers';
import { containerLogsErrorCodes } from '../errors.js';
import { createFolderWatches, type FolderWatches } from './folder-watches.js';
import { followLog } from './follow-log.js';
import { endOfLog, type LogBytes, readToEnd } from './log-bytes.js';
import { type LogChunk, LogDecoder } from './log-decoder.js';
import type { LogSource, OpenLog } from './log-source.js';
import { allocateFor, findTailStart } from './tail-start.js';
import { parseTimestamp } from './timestamp.js';

export interface LogReaderOptions {
  /** Default: the system clock. */
  clock?: Clock;
  /** Opens the logs: `nodeLogSource` of `@nodeagent/container-logs/node`. */
  source: LogSource;
  logger?: Logger;
  /** Minimum time between two reads of a growing log, in milliseconds; lines written in between arrive in one chunk. Default 100. */
  followIntervalMs?: number;
  /** Size of the read buffer of each open log, in bytes. A longer line is output in several chunks. Default 131,072. */
  bufferBytes?: number;
}

/** Which part of a log is read, named as in PodLogOptions. */
export interface LogReadOptions {
  /** Continues with lines written later, also after rotations, until `ended` resolves or the signal aborts. */
  follow?: boolean;
  /**
   * For `follow`: resolves when the container has terminated and no more lines will be written. Called once, when the reader has found where it
   * starts. Default: never.
   */
  ended?(signal: AbortSignal): Promise<void>;
  /** Number of lines from the end, of all streams; partial lines count. */
  tailLines?: number;
  /** Maximum number of bytes. */
  limitBytes?: number;
  /** An RFC 3339 time: earlier lines are skipped. */
  since?: string;
  /** Prefixes each line with its time, with nanoseconds. */
  timestamps?: boolean;
  /** Default `All`. */
  streams?: 'All' | 'Stdout' | 'Stderr';
  signal?: AbortSignal;
}

/** Reads logs of containers as a kubelet does for `kubectl logs`. */
export interface LogReader {
  /**
   * A container's output in order. The caller may keep and modify the chunks. The log is open during the iteration, and is read no faster
   * than the caller consumes chunks. Rejects with `LogUnavailable`, with `UnsupportedLogFormat`, with the rejection of `ended`, or with
   * the signal's reason when it aborts. Throws `InvalidOption` at once.
   */
  read(path: string, options?: LogReadOptions): AsyncGenerator<LogChunk, void, void>;
}

/** Creates a {@link LogReader}. Does no I/O. Followers of one folder share one watch. */
export function createLogReader(options: LogReaderOptions): LogReader {
  const { clock = systemClock, source, logger = silentLogger, followIntervalMs = 100, bufferBytes = 128 * 1024 } = options;
  if (typeof clock?.now !== 'function') throw invalidOption('clock', 'a Clock', clock);
  requirePositive('followIntervalMs', followIntervalMs);
  requirePositive('bufferBytes', bufferBytes, { integer: true });
  const watches = createFolderWatches(source);
  return {
    read(path, readOptions = {}) {
      checkReadOptions(path, readOptions);
      return readLog(path, readOptions, { clock, source, logger, followIntervalMs, bufferBytes, watches });
    },
  };
}

interface ReaderContext extends Required<LogReaderOptions> {
  watches: FolderWatches;
}

async function* readLog(path: string, options: LogReadOptions, context: ReaderContext): AsyncGenerator<LogChunk, void, void> {
  const { source, logger } = context;
  const { follow = false, tailLines, limitBytes = Number.POSITIVE_INFINITY, timestamps = false, streams = 'All' } = options;
  const { signal } = options;
  signal?.throwIfAborted();
  let problems = 0;
  const decoder = new LogDecoder({
    since: options.since === undefined ? undefined : parseTimestamp(options.since),
    timestamps,
    limitBytes,
    maxLines: follow ? Number.POSITIVE_INFINITY : (tailLines ?? Number.POSITIVE_INFINITY),
    streams,
    onProblem(problem) {
      if (problems++ === 0) logger.warn({ log: path, problem }, `failed when parsing a line of log file "${path}": ${problem}`);
    },
  });

  const { log, realPath } = await openLog(path, source);
  let bytes: LogBytes = { read: async () => endOfLog, close: () => log.close() };
  try {
    const position = tailLines === undefined ? 0 : await findTailStart(log, tailLines, signal);
    bytes = follow ? followLog({ ...context, log, path: realPath, position, ended: options.ended, signal }) : readToEnd(log, position);
    yield* decodeBytes(bytes, decoder, { allocate: (size) => allocateFor(log, size), bufferBytes: context.bufferBytes, signal });
  } finally {
    await bytes.close();
  }
}

interface DecodeOptions {
  allocate(bytes: number): Uint8Array;
  bufferBytes: number;
  signal: AbortSignal | undefined;
}

async function* decodeBytes(bytes: LogBytes, decoder: LogDecoder, options: DecodeOptions): AsyncGenerator<LogChunk> {
  const { allocate, bufferBytes, signal } = options;
  let buffer = allocate(bufferBytes);
  let held = 0;
  while (!decoder.isDone) {
    signal?.throwIfAborted();
    const read = await bytes.read(buffer.subarray(held));
    const isEnd = typeof read !== 'number';
    held += isEnd ? 0 : read;
    const isFull = held === buffer.length;
    let used = 0;
    try {
      used = decoder.decode(buffer, held, isEnd ? 'closed' : isFull ? 'full' : 'open');
    } finally {
      yield* decoder.take();
    }
    if (used === 0 && isFull) {
      const larger = allocate(held * 2);
      larger.set(buffer);
      buffer = larger;
    }
    buffer.copyWithin(0, used, held);
    held -= used;
    if (read === endOfLog) return;
  }
}

async function openLog(path: string, source: LogSource): Promise<{ log: OpenLog; realPath: string }> {
  const fail = (what: string, cause: unknown) => {
    const message = `${what}: ${errorMessage(cause)}`;
    return new NodeAgentError(containerLogsErrorCodes.logUnavailable, message, { details: { path }, cause });
  };
  const realPath = await source.resolve(path).catch((error) => {
    throw fail(`failed to try resolving symlinks in path "${path}"`, error);
  });
  const what = `failed to open log file "${realPath}"`;
  const log = await source.open(realPath).catch((error) => {
    throw fail(what, error);
  });
  if (log === undefined) throw fail(what, 'no such file or directory');
  return { log, realPath };
}

function checkReadOptions(path: string, { tailLines, limitBytes, since, streams = 'All', follow, ended }: LogReadOptions): void {
  if (typeof path !== 'string' || !isAbsolute(path)) throw invalidOption('path', 'an absolute path', path);
  for (const [field, value] of Object.entries({ tailLines, limitBytes }))
    if (value !== undefined && !(Number.isInteger(value) && value >= 0)) throw invalidOption(field, 'a whole number from 0 on', value);
  if (since !== undefined && parseTimestamp(since) === undefined) throw invalidOption('since', 'an RFC 3339 time', since);
  if (!['All', 'Stdout', 'Stderr'].includes(streams)) throw invalidOption('streams', 'All, Stdout or Stderr', streams);
  if (ended !== undefined && !follow) throw invalidOption('ended', 'left out without follow', ended);
}
