import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { type Clock, errorMessage, settlesWithin } from '@nodeagent/api';
import {
  acceptRemoteCommand,
  type CommandEnd,
  formatCommandEnd,
  type RemoteCommand,
  type RemoteCommandStreams,
  type UpgradeRequest,
} from '@nodeagent/streaming';
import type { RunningContainer } from '../container.js';
import { type Launched, launch } from '../launch.js';
import { sendSignal } from '../processes.js';
import { createTerminal } from './terminal.js';

/** After the command has exited: how long its outputs may be silent before processes that hold them open count as background processes. */
const drainMs = 500;

/** Runs a command in a container for a client, until the command ends. */
export async function serveExec(
  client: UpgradeRequest,
  container: RunningContainer,
  command: string[],
  requested: RemoteCommandStreams,
  clock: Clock,
): Promise<void> {
  const streams = await acceptRemoteCommand(client, requested, clock);
  await streams.finish(formatCommandEnd(await runFor(streams, container, command, requested, clock)));
}

async function runFor(
  streams: RemoteCommand,
  { record, run, launch: plan, pipeFolder }: RunningContainer,
  command: string[],
  { stdin, tty }: RemoteCommandStreams,
  clock: Clock,
): Promise<CommandEnd> {
  const terminal = tty ? createTerminal(command, clock) : undefined;
  let process: Launched;
  try {
    const own = plan(terminal?.command ?? command);
    const spec = { ...own, stdin: stdin || tty, env: { ...own.env, ...terminal?.env } };
    process = await launch(spec, { pipeFolder, containerId: record.id, onStarted: run.adopt });
  } catch (error) {
    return { error: `failed to exec in container: ${errorMessage(error)}` };
  }
  // A client that has disconnected cannot stop the command, so it is killed.
  const kill = () => sendSignal(-process.pid, constants.signals.SIGKILL);
  streams.signal.addEventListener('abort', kill, { once: true });
  if (streams.signal.aborted) kill();
  try {
    if (process.stdin) streams.stdin?.pipe(process.stdin);
    if (terminal) streams.onResize((size) => void terminal.resize(process.pid, size));
    const outputs = [copy(process.stdout, streams.stdout), copy(process.stderr, tty ? streams.stdout : streams.stderr)];
    const exitCode = await process.exited;
    await drain(outputs, clock);
    return { exitCode };
  } finally {
    streams.signal.removeEventListener('abort', kill);
    await run.exitedExec(process);
  }
}

/** The copy of a process's output to the client. */
interface Copy {
  from: Socket;
  to: Writable | undefined;
  ended: Promise<unknown>;
}

/** Reads only as fast as the client does. */
function copy(from: Socket, to: Writable | undefined): Copy {
  from.on('error', () => {});
  const ended = new Promise((resolve) => from.once('close', resolve));
  if (to) from.pipe(to, { end: false });
  else from.resume();
  to?.once('close', () => from.resume());
  return { from, to, ended };
}

/** Waits until the outputs end, or are silent while the client could receive more. */
async function drain(outputs: readonly Copy[], clock: Clock): Promise<void> {
  const ended = Promise.all(outputs.map((each) => each.ended));
  const total = () => outputs.reduce((sum, { from }) => sum + from.bytesRead, 0);
  for (let before = -1; before !== total() || outputs.some(({ to }) => to?.writableNeedDrain); ) {
    before = total();
    if (await settlesWithin(ended, { clock, timeoutMs: drainMs })) return;
  }
  for (const { from } of outputs) from.destroy();
}
