import type { Readable } from 'node:stream';
import { type Clock, settlesWithin } from '@nodeagent/api';
import type { ExecSyncResponse } from '@nodeagent/cri-api';
import { deadlineExceeded, unknownError } from '../errors.js';
import type { OciProgram } from '../runtime/oci-program.js';
import { type ExecRequest, startExec } from './exec-process.js';

/** Maximum bytes of each output, as in containerd; further output is read and dropped. */
const maxOutputBytes = 16 * 1024 * 1024;
/** How long a command may take to end by SIGKILL. */
const killWaitMs = 5_000;
/** How long to wait for output of background processes after the command has exited. */
const drainMs = 500;

/**
 * Runs a command in a container and returns its output. At the timeout the command is killed, and the call fails with CRI_DEADLINE_EXCEEDED;
 * likewise when the signal aborts.
 *
 * @param timeoutMs - 0 for no limit
 */
export async function execSync(
  request: Omit<ExecRequest, 'stdin'>,
  timeoutMs: number,
  { oci, clock }: { oci: OciProgram; clock: Clock },
  signal?: AbortSignal,
): Promise<ExecSyncResponse> {
  signal?.throwIfAborted();
  const { child, exited, kill } = startExec({ ...request, stdin: false }, oci);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  try {
    if (!(await settlesWithin(exited, { clock, timeoutMs: timeoutMs || Number.POSITIVE_INFINITY, signal }))) {
      kill();
      if (!(await settlesWithin(exited, { clock, timeoutMs: killWaitMs }))) child.kill('SIGKILL');
      throw deadlineExceeded(`failed to exec in container: timeout ${timeoutMs / 1000}s exceeded`);
    }
    await settlesWithin(Promise.all([stdout.ended, stderr.ended]), { clock, timeoutMs: drainMs, signal });
    const exitCode = await exited.catch((error: Error) => {
      throw unknownError(`${error.message}: ${Buffer.from(stderr.take()).toString().slice(-1024).trim()}`, error);
    });
    return { stdout: stdout.take(), stderr: stderr.take(), exitCode };
  } finally {
    kill();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/** Buffers the start of a stream, and reads it to its end so that the writer does not block. */
function collect(stream: Readable | null): { ended: Promise<void>; take(): Uint8Array } {
  const kept: Buffer[] = [];
  let room = maxOutputBytes;
  stream?.on('data', (chunk: Buffer) => {
    if (room > 0) kept.push(chunk.subarray(0, room));
    room -= chunk.length;
  });
  return {
    ended: new Promise((resolve) => stream?.once('close', () => resolve())),
    take: () => Buffer.concat(kept),
  };
}
