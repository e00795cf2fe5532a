import type { Readable, Writable } from 'node:stream';
import { type Clock, errorMessage, settlesWithin } from '@nodeagent/api';
import {
  acceptRemoteCommand,
  type CommandEnd,
  formatCommandEnd,
  type RemoteCommandStreams,
  type UpgradeRequest,
} from '@nodeagent/streaming';
import type { OciProgram } from '../runtime/oci-program.js';
import { type ExecRequest, startExec } from './exec-process.js';
import { restOfTerminal } from './runtime-log.js';

/** After the command has exited: how long its background processes may hold its outputs open. */
const drainMs = 500;
/** The end of standard error with the reason why a command cannot be started. */
const maxProblemBytes = 1024;

export interface ExecPorts {
  oci: OciProgram;
  clock: Clock;
}

/** Runs a command in a container for a client, until the command ends. A client that disconnects kills it. */
export async function serveExec(
  client: UpgradeRequest,
  request: Omit<ExecRequest, 'stdin' | 'terminal'>,
  requested: RemoteCommandStreams,
  { oci, clock }: ExecPorts,
): Promise<void> {
  const streams = await acceptRemoteCommand(client, requested, clock);
  const { stdin, tty } = requested;
  const { child, exited, runtimeLog, kill, resize } = startExec({ ...request, stdin, ...(tty && { terminal: clock }) }, oci);
  streams.signal.addEventListener('abort', kill, { once: true });
  if (streams.signal.aborted) kill();
  streams.onResize((size) => void resize?.(size));
  child.stdin?.on('error', () => {});
  if (child.stdin) streams.stdin?.pipe(child.stdin);
  const problem = endOf(child.stderr);
  const outputs = [copy(child.stdout, streams.stdout), copy(child.stderr, tty ? streams.stdout : streams.stderr)];
  const end = await exited.then(
    (exitCode): CommandEnd => ({ exitCode }),
    (error): CommandEnd => ({ error: `${errorMessage(error)}: ${problem() || runtimeLog().toString().trim()}` }),
  );
  await settlesWithin(Promise.all(outputs), { clock, timeoutMs: drainMs });
  streams.signal.removeEventListener('abort', kill);
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  if (tty && 'exitCode' in end) streams.stdout?.write(restOfTerminal(runtimeLog()));
  await streams.finish(formatCommandEnd(end));
}

/** Reads only as fast as the client does. Resolves at the end of the output. */
function copy(from: Readable | null, to: Writable | undefined): Promise<void> {
  if (to) from?.pipe(to, { end: false });
  else from?.resume();
  to?.once('close', () => from?.resume());
  return new Promise((resolve) => from?.once('close', () => resolve()));
}

function endOf(stream: Readable | null): () => string {
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-maxProblemBytes);
  });
  return () => text.trim();
}
