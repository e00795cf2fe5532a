import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { type Clock, settlesWithin } from '@nodeagent/api';
import { monitorFiles } from '../conmon/conmon-arguments.js';
import { programEnvironment } from '../programs.js';
import { helperCommand } from './helper-command.js';

/** A connection to the standard input of a container's first process. */
export interface ContainerInput {
  /** With its end the connection ends. conmon then closes the input of a container, if that is only for one client. */
  readonly stream: Writable;
  /** Disconnects, once the container has read what was written, or after a second. */
  close(): Promise<void>;
}

const closeTimeoutMs = 1_000;

/**
 * Connects to conmon by socat, because Node cannot open sockets of the type SOCK_SEQPACKET. It reads and drops the output that conmon sends:
 * conmon, and with it the container, would wait for a client that does not read.
 */
export function openContainerInput(bundle: string, { socat, clock }: { socat: string; clock: Clock }): ContainerInput {
  // By a relative path, because the address of a socket has at most 107 bytes.
  const [program, args] = helperCommand(socat, '-', `UNIX-CONNECT:${monitorFiles('.').attach},type=5`);
  const child = spawn(program, args, { cwd: bundle, env: programEnvironment(), stdio: ['pipe', 'ignore', 'ignore'] });
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  // The container has exited, or reads no more input.
  child.stdin.on('error', () => {});
  return {
    stream: child.stdin,
    async close() {
      child.stdin.end();
      if (!(await settlesWithin(exited, { clock, timeoutMs: closeTimeoutMs }))) child.kill('SIGKILL');
    },
  };
}
