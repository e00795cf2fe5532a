import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Duplex, Readable } from 'node:stream';
import { abandonAtDeadline, type Clock, errorMessage } from '@nodeagent/api';
import { unknownError } from '../errors.js';
import { programEnvironment } from '../programs.js';
import { conmonArguments, type MonitorRequest, monitorFiles } from './conmon-arguments.js';
import type { MonitorCgroup } from './monitor-cgroup.js';
import { type CreateReport, parseCreateReport } from './sync-message.js';

/** Names the processes that create a container: those of a killed runtime are found by it. */
export const monitorVariable = 'NODEAGENT_OCI_CONTAINER';

export interface MonitorOptions {
  /** Path of conmon. */
  conmon: string;
  clock: Clock;
  cgroup: MonitorCgroup;
}

/** The processes of a created container. */
interface CreatedProcesses {
  /** The container's first process. */
  pid: number;
  /** conmon */
  monitorPid: number;
}

const timeoutMs = 60_000;
const maxReportBytes = 64 << 10;
const maxStderrBytes = 4 << 10;
/** conmon's descriptors 3 and 4, by the order of `stdio`. */
const pipes = { _OCI_SYNCPIPE: '3', _OCI_STARTPIPE: '4' };

/**
 * Starts conmon, which creates the container by the OCI runtime and stays its parent: in a separate session it outlives this process. Resolves
 * with the runtime's message if that refuses the container; then conmon exits.
 */
export async function startMonitor(
  request: MonitorRequest,
  { conmon, clock, cgroup }: MonitorOptions,
): Promise<CreatedProcesses | { refusal: string }> {
  const [program, ...args] = cgroup.command(request.containerId, [conmon, ...conmonArguments(request)]);
  const child = spawn(program, args, {
    // conmon writes the file `oom` there.
    cwd: request.bundle,
    env: { ...programEnvironment(), ...pipes, [monitorVariable]: request.containerId },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const [, , stderr, sync, start] = child.stdio as [null, null, Duplex, Duplex, Duplex];
  const ended = new Promise<string>((resolve) => {
    child.once('error', (cause) => resolve(`${program} cannot be run: ${errorMessage(cause)}`));
    child.once('exit', (code) => resolve(code === 0 ? '' : `${conmon} failed: ${stderrText() || `exit status ${code}`}`));
  });
  for (const stream of [stderr, sync, start]) stream.on('error', () => {});
  const stderrText = collectEnd(stderr);
  const report = readReport(sync);
  const error = () => unknownError(`${conmon} has not created container ${request.containerId} within ${timeoutMs} ms`);
  try {
    return await abandonAtDeadline({ clock, timeoutMs, error }, async () => {
      // It waits for the start pipe before it forks.
      if (child.pid !== undefined) cgroup.place(child.pid);
      start.write('start\n');
      const problem = await ended;
      if (problem !== '') throw unknownError(problem);
      const created = await report;
      if ('problem' in created) {
        const refusal = `${request.runtime} cannot create the container: ${created.problem}`;
        // Not the fault of the container: CreateContainer can be called again.
        if (created.problem.includes('No space left on device') || created.isUnexplained) throw unknownError(refusal);
        return { refusal };
      }
      return { pid: created.pid, monitorPid: Number(await readFile(monitorFiles(request.bundle).monitorPid, 'utf8')) };
    });
  } finally {
    for (const stream of [stderr, sync, start]) stream.destroy();
  }
}

function readReport(sync: Readable): Promise<CreateReport> {
  return new Promise((resolve) => {
    let text = '';
    sync.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(0, maxReportBytes);
      const report = parseCreateReport(text);
      if (report !== undefined) resolve(report);
    });
    sync.once('close', () => resolve({ problem: `conmon ended without a report: ${text}`, isUnexplained: true }));
  });
}

function collectEnd(stream: Readable): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-maxStderrBytes);
  });
  return () => text.trim();
}
