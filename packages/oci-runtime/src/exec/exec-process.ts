import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, errorMessage } from '@nodeagent/api';
import { createTerminal } from '@nodeagent/process-runtime/cri';
import type { TerminalSize } from '@nodeagent/streaming';
import { unknownError } from '../errors.js';
import { programEnvironment } from '../programs.js';
import type { OciProgram } from '../runtime/oci-program.js';
import type { OciSpec } from '../spec/oci-spec.js';
import { readPid } from '../state/process-ref.js';
import { readRuntimeLog } from './runtime-log.js';

export interface ExecRequest {
  containerId: string;
  /** The container's folder with its config.json. */
  bundle: string;
  command: readonly string[];
  stdin: boolean;
  /** With a terminal, which `script` of util-linux creates: the clock of its waits. Default: none. */
  terminal?: Clock;
}

/** A command in a container. Its standard streams are those of `child`, the OCI runtime's program, which ends with it. */
export interface ExecProcess {
  readonly child: ChildProcess;
  /** Resolves to the exit code, or rejects if the command cannot be started: then the OCI runtime has written why to standard error. */
  readonly exited: Promise<number>;
  /** With a terminal: what the OCI runtime has written to its log, once the command has exited. */
  runtimeLog(): Buffer;
  /** Kills the command and its process group, as soon as it has started: the OCI runtime would start it even if it were killed before. */
  kill(): void;
  /** Sets the size of the terminal. Present with a terminal. */
  resize?(size: TerminalSize): Promise<void>;
}

/** Starts a command with the environment, folder, user and limits of the container's first process. */
export function startExec({ containerId, bundle, command, stdin, terminal }: ExecRequest, oci: OciProgram): ExecProcess {
  const { process: first }: OciSpec = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'));
  const name = join(bundle, `exec-${randomBytes(8).toString('hex')}`);
  const files = { process: `${name}.json`, pid: `${name}.pid`, log: `${name}.log` };
  writeFileSync(files.process, JSON.stringify({ ...first, args: command, terminal: terminal !== undefined }), { mode: 0o600 });
  // The terminal would show its messages among the output of the command.
  const log = terminal ? [`--log=${files.log}`] : [];
  const call = [oci.path, `--root=${oci.root}`, ...log, 'exec', '--process', files.process, '--pid-file', files.pid, containerId];
  const tty = terminal && createTerminal(call, terminal);
  const [program = '', ...args] = tty?.command ?? call;
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...programEnvironment(), ...tty?.env },
    // crun gives the user of the command the ownership of its standard input, which must not be /dev/null of the machine.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  if (!stdin && tty === undefined) child.stdin.end();
  const pidOf = () => readPid(files.pid);
  let isKilled = false;
  let runtimeLog: Buffer = Buffer.alloc(0);

  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(unknownError(`${oci.path} cannot be run: ${errorMessage(error)}`, error)));
    child.once('exit', (code) => {
      runtimeLog = readRuntimeLog(files.log);
      // Without a process only the OCI runtime has failed.
      if (pidOf() === 0 && !isKilled) reject(unknownError(`failed to exec in container: ${oci.path} exited with status ${code}`));
      else resolve(code ?? 137);
      for (const file of Object.values(files)) rmSync(file, { force: true });
    });
  });
  exited.catch(() => {});
  const killStarted = () => {
    const pid = pidOf();
    if (pid > 0) for (const target of [-pid, pid]) kill(target);
    return pid > 0;
  };
  return {
    child,
    exited,
    runtimeLog: () => runtimeLog,
    kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      isKilled = true;
      const watcher = watch(bundle, () => {
        if (killStarted()) watcher.close();
      });
      child.once('exit', () => watcher.close());
      if (killStarted()) watcher.close();
    },
    ...(tty && { resize: (size: TerminalSize) => tty.resize(child.pid ?? 0, size) }),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited, or leads no process group.
  }
}
