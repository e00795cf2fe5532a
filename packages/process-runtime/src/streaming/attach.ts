import type { Writable } from 'node:stream';
import type { Clock } from '@nodeagent/api';
import { acceptRemoteCommand, formatCommandEnd, type RemoteCommandStreams, type UpgradeRequest } from '@nodeagent/streaming';
import type { RunningContainer } from '../container.js';

/** Maximum backlog of a client in bytes. Beyond it the client is disconnected, so that it does not block the container. */
const maxBacklogBytes = 1024 * 1024;

/** Attaches a client to a container until one of the two ends. */
export async function serveAttach(
  client: UpgradeRequest,
  { record, run }: RunningContainer,
  requested: RemoteCommandStreams,
  clock: Clock,
): Promise<void> {
  const streams = await acceptRemoteCommand(client, requested, clock);
  const forward = (to: Writable | undefined, piece: Buffer) => {
    if (to === undefined || to.destroyed) return;
    if (to.writableLength > maxBacklogBytes) client.socket.destroy();
    else to.write(piece);
  };
  const unsubscribe = run.listen((stream, piece) => forward(stream === 'stdout' ? streams.stdout : streams.stderr, piece));
  if (run.stdin) streams.stdin?.pipe(run.stdin, { end: record.config.stdinOnce ?? false });
  else streams.stdin?.resume();
  const disconnected = new Promise<void>((resolve) => {
    if (streams.signal.aborted) resolve();
    streams.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([run.ended, disconnected]);
  unsubscribe();
  if (run.stdin) streams.stdin?.unpipe(run.stdin);
  if (record.config.stdinOnce && requested.stdin) run.stdin?.end();
  await streams.finish(formatCommandEnd({ exitCode: 0 }));
}
