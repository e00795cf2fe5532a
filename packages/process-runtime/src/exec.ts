import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { type Clock, settlesWithin } from '@nodeagent/api';
import type { ExecSyncResponse } from '@nodeagent/cri-api';
import type { ContainerRun } from './container-run.js';
import { deadlineExceeded, unknownError } from './errors.js';
import { type Launched, type LaunchSpec, launch } from './launch.js';
import { sendSignal } from './processes.js';

/** Maximum bytes of each output of an exec, as in containerd; further output is read and dropped. */
const maxExecOutput = 16 * 1024 * 1024;
/** How long to wait for output of background processes after the command has exited. */
const execDrainMs = 500;

/** Options of {@link execSync}. */
export interface ExecSpec {
  containerId: string;
  launch: LaunchSpec;
  pipeFolder: string;
  /** 0 means no limit. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/**
 * Runs a command in a container and returns its output. At the timeout the command and its processes are killed, and the call fails with
 * CRI_DEADLINE_EXCEEDED; likewise when the signal aborts. Background processes of a command become part of the container.
 */
export async function execSync(run: ContainerRun, spec: ExecSpec, clock: Clock): Promise<ExecSyncResponse> {
  const { containerId, pipeFolder, timeoutMs, signal } = spec;
  signal?.throwIfAborted();
  const process = await launch(spec.launch, { pipeFolder, containerId, onStarted: run.adopt }).catch((error: unknown) => {
    throw unknownError(`failed to exec in container: ${error instanceof Error ? error.message : String(error)}`, error);
  });
  const stdout = collect(process.stdout);
  const stderr = collect(process.stderr);
  try {
    if (!(await settlesWithin(process.exited, { clock, timeoutMs: timeoutMs || Number.POSITIVE_INFINITY, signal }))) {
      throw deadlineExceeded(`failed to exec in container: timeout ${timeoutMs / 1000}s exceeded`);
    }
    await settlesWithin(Promise.all([stdout.ended, stderr.ended]), { clock, timeoutMs: execDrainMs, signal });
    return { stdout: stdout.take(), stderr: stderr.take(), exitCode: await process.exited };
  } catch (error) {
    await killExec(process);
    stdout.take();
    stderr.take();
    throw error;
  } finally {
    await run.exitedExec(process);
  }
}

async function killExec(process: Launched): Promise<void> {
  sendSignal(-process.pid, constants.signals.SIGKILL);
  await process.exited;
}

/** Buffers the start of a stream, and reads it to its end so that the writer does not block. */
function collect(stream: Socket): { ended: Promise<void>; take(): Uint8Array } {
  let kept: Buffer[] = [];
  let room = maxExecOutput;
  stream.on('data', (chunk: Buffer) => {
    if (room <= 0) return;
    kept.push(chunk.length <= room ? chunk : chunk.subarray(0, room));
    room -= chunk.length;
  });
  stream.on('error', () => {});
  return {
    ended: new Promise((resolve) => stream.once('close', () => resolve())),
    take() {
      const all = Buffer.concat(kept);
      kept = [];
      room = 0;
      return all;
    },
  };
}
