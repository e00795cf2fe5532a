import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { errorMessage } from '@nodeagent/api';
import { unknownError } from '../errors.js';
import { programEnvironment } from '../programs.js';
import { helperCommand } from './helper-command.js';
import { programStream } from './program-stream.js';

/** Where a connection of a port-forward leads. */
export interface NamespacePort {
  /** ID of the pod's sandbox, for messages. */
  sandboxId: string;
  /** Path of the network namespace. */
  namespace: string;
  port: number;
}

const maxStderrBytes = 4 << 10;
const bufferBytes = '65536';
/** How long one direction of a connection may last after the other one has ended. */
const halfOpenSeconds = '1000000';

/**
 * Connects to a port on the loopback interface of a network namespace, over IPv4, else over IPv6. Rejects with both problems, as containerd
 * does. Each connection is a socat: a process of Node cannot enter a namespace.
 */
export async function connectInNamespace({ sandboxId, namespace, port }: NamespacePort, socat: string): Promise<Duplex> {
  const problems: string[] = [];
  for (const [version, address] of [
    [4, `127.0.0.1:${port}`],
    [6, `[::1]:${port}`],
  ] as const) {
    const attempt = await dial(namespace, `TCP${version}:${address}`, socat);
    if (typeof attempt !== 'string') return attempt;
    problems.push(`IPv${version}: dial tcp${version} ${address}: ${attempt}`);
  }
  throw unknownError(`failed to connect to localhost:${port} inside namespace "${sandboxId}", ${problems.join(' ')}`);
}

/** The connection, or why there is none. */
function dial(namespace: string, address: string, socat: string): Promise<Duplex | string> {
  // Two -d: socat reports that it is connected. Without shut-close it would not report that the server has ended its direction.
  const call = [socat, '-d', '-d', '-b', bufferBytes, '-t', halfOpenSeconds, '-,shut-close', address];
  const [program, args] = helperCommand('nsenter', `--net=${namespace}`, '--', ...call);
  const child = spawn(program, args, { cwd: '/', env: programEnvironment() });
  let stderr = '';
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(errorMessage(error)));
    child.once('close', () => resolve(problemIn(stderr)));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-maxStderrBytes);
      if (stderr.includes('starting data transfer loop')) resolve(programStream(child, () => problemIn(stderr)));
    });
  });
}

/** socat: `<time> socat[<pid>] E connect(5, AF=2 127.0.0.1:81, 16): Connection refused`; other programs: `nsenter: <problem>`. */
function problemIn(stderr: string): string {
  const line = / E (.*)/.exec(stderr)?.[1] ?? stderr.trim();
  const [, call, problem] = /^(\w+)\(.*\): (.*)$/.exec(line) ?? [];
  return call === undefined || problem === undefined ? line : `${call}: ${problem.toLowerCase()}`;
}
