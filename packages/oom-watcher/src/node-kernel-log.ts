import { spawn } from 'node:child_process';
import { readSync } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { type Clock, errorCode, errorMessage, NodeAgentError, systemClock } from '@nodeagent/api';
import { oomWatcherErrorCodes } from './errors.js';
import type { KernelLog } from './kernel-log.js';
import { parseKmsgRecord } from './kmsg-record.js';
import { linesOf } from './lines-of.js';

export interface KernelLogOptions {
  /** Default: the system clock. */
  clock?: Clock;
  /** Default `/dev/kmsg`. */
  path?: string;
}

/** Milliseconds before the log is reopened after its end. */
const retryMs = 1_000;

/**
 * Reads the kernel log with a child process, because a read of `/dev/kmsg` blocks until the next message and would occupy one of this
 * process's few I/O threads permanently. See docs/decisions/0023-read-the-kernel-log-in-a-child-process.md.
 */
export function createKernelLog(options: KernelLogOptions = {}): KernelLog {
  const { clock = systemClock, path = '/dev/kmsg' } = options;
  return {
    async open(signal) {
      let last = await lastSequence(path, signal);
      async function* messages(): AsyncIterable<string> {
        while (!signal.aborted) {
          try {
            for await (const line of linesOf(follow(path, signal))) {
              const record = parseKmsgRecord(line);
              if (record === undefined || record.sequence <= last) continue;
              last = record.sequence;
              yield record.message;
            }
          } catch (error) {
            if (!signal.aborted) throw error;
          }
          // The kernel overwrote messages before they were read, or the child was killed.
          await clock.sleep(retryMs, signal).catch(() => {});
        }
      }
      return messages();
    },
  };
}

/** Records that are read before other work of the process has its turn: milliseconds of CPU. */
const recordsAtOnce = 500;

/**
 * The sequence number of the newest record; -1 if there is none. Rejects with the signal's reason. The log has thousands of records, each read by a
 * call: direct ones, which the file's flag keeps from waiting, take a tenth of the CPU of those in threads.
 */
async function lastSequence(path: string, signal: AbortSignal): Promise<number> {
  const file = await openLog(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let last = -1;
  try {
    const buffer = Buffer.alloc(64 * 1024);
    for (let reads = 1; ; reads++) {
      signal.throwIfAborted();
      const length = readRecord(file.fd, buffer, path);
      if (length === 0) return last;
      for (const line of buffer.toString('utf8', 0, length).split('\n')) last = parseKmsgRecord(line)?.sequence ?? last;
      if (reads % recordsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    await file.close();
  }
}

/** Reads the next record into the buffer and returns its length, 0 after the last one. */
function readRecord(fd: number, buffer: Buffer, path: string): number {
  for (;;) {
    try {
      return readSync(fd, buffer, 0, buffer.length, null);
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return 0;
      // EPIPE: the record was overwritten meanwhile; the next read returns the oldest remaining one.
      if (errorCode(error) !== 'EPIPE') throw unavailable(path, error);
    }
  }
}

/** Yields the file's content from the beginning until the signal aborts or the child exits. */
async function* follow(path: string, signal: AbortSignal): AsyncIterable<Buffer> {
  const file = await openLog(path, constants.O_RDONLY);
  if (signal.aborted) {
    await file.close();
    return;
  }
  const child = spawn('cat', [], { stdio: [file.fd, 'pipe', 'ignore'], env: { PATH: process.env.PATH } });
  const spawned = new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  const end = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  try {
    await spawned.finally(() => file.close());
    if (child.stdout) yield* child.stdout;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

async function openLog(path: string, flags: number): Promise<FileHandle> {
  return open(path, flags).catch((error) => {
    throw unavailable(path, error);
  });
}

function unavailable(path: string, cause: unknown): NodeAgentError {
  const isForbidden = ['EACCES', 'EPERM'].includes(errorCode(cause) ?? '');
  return new NodeAgentError(oomWatcherErrorCodes.kernelLogUnavailable, `cannot read the kernel log: ${errorMessage(cause)}`, {
    cause,
    details: { path },
    hint: isForbidden
      ? `reading ${path} needs root or CAP_SYSLOG; without it, OOM kills are not reported as SystemOOM events`
      : `${path} must exist; a container needs it mounted from the host`,
  });
}
