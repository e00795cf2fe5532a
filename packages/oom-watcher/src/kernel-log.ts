import { spawn } from 'node:child_process';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { type Clock, errorCode, errorMessage, NodeAgentError, systemClock } from '@nodeagent/api';
import { oomWatcherErrorCodes } from './errors.js';
import { parseKmsgRecord } from './kmsg-record.js';
import { linesOf } from './lines-of.js';

/** Where the messages of the kernel come from. */
export interface KernelLog {
  /**
   * Resolves once it is clear that messages can be read; rejects if not. The messages are those from now on, in order, until the signal
   * aborts; whoever reads slowly holds them up.
   */
  open(signal: AbortSignal): Promise<AsyncIterable<string>>;
}

export interface KernelLogOptions {
  /** Default: the system clock. */
  clock?: Clock;
  /** Default `/dev/kmsg`. */
  path?: string;
}

/** How long to wait before the log is read again after its end, in milliseconds. */
const retryMs = 1_000;

/**
 * The kernel's log, read by a child process: a read of `/dev/kmsg` waits for the next message, and would hold one of this process's few I/O
 * threads for ever. See docs/decisions/0023-read-the-kernel-log-in-a-child-process.md.
 */
export function createKernelLog({ clock = systemClock, path = '/dev/kmsg' }: KernelLogOptions = {}): KernelLog {
  return {
    async open(signal) {
      let last = await lastSequence(path);
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
          // Messages were overwritten before they were read, or the child was killed.
          await clock.sleep(retryMs, signal).catch(() => {});
        }
      }
      return messages();
    },
  };
}

/** The number of the newest record there is; -1 without any. */
async function lastSequence(path: string): Promise<number> {
  const file = await openLog(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let last = -1;
  try {
    const buffer = Buffer.alloc(64 * 1024);
    for (;;) {
      const read = await file.read(buffer, 0, buffer.length, null).catch((error) => {
        // Overwritten meanwhile: the next read gives the oldest that is left.
        if (errorCode(error) === 'EPIPE') return undefined;
        if (errorCode(error) === 'EAGAIN') return { bytesRead: 0 };
        throw unavailable(path, error);
      });
      if (read === undefined) continue;
      if (read.bytesRead === 0) return last;
      for (const line of buffer.toString('utf8', 0, read.bytesRead).split('\n')) last = parseKmsgRecord(line)?.sequence ?? last;
    }
  } finally {
    await file.close();
  }
}

/** What can be read from the file from its beginning on, until the signal aborts or its reader ends. */
async function* follow(path: string, signal: AbortSignal): AsyncIterable<Buffer> {
  const file = await openLog(path, constants.O_RDONLY);
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
  return new NodeAgentError(oomWatcherErrorCodes.kernelLogUnavailable, `the kernel's log cannot be read: ${errorMessage(cause)}`, {
    cause,
    details: { path },
    hint: isForbidden
      ? `reading ${path} needs root or CAP_SYSLOG; without it, kills for want of memory are not reported as SystemOOM events`
      : `${path} must exist: containers get it only when it is given to them`,
  });
}
