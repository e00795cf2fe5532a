import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Clock } from '@nodeagent/api';
import { unacceptable } from '../errors.js';
import { endAndFlush } from '../push-stream.js';
import { createSpdySession } from '../spdy/session.js';
import type { SpdyStream } from '../spdy/stream.js';
import { createResizes, type RemoteCommand, type RemoteCommandStreams } from './streams.js';

/** The protocol version with exit status and terminal sizes. */
export const remoteCommandProtocol = 'v4.channel.k8s.io';

/** Timeout for a client to open its streams. */
const streamsTimeoutMs = 30_000;

/** Maximum length of a status or of a terminal size. */
const longestText = 64 * 1024;

/** The values of the header `streamType`, the error stream first. */
export function streamTypes({ stdin, stdout, stderr, tty }: RemoteCommandStreams): string[] {
  return ['error', stdin && 'stdin', stdout && 'stdout', stderr && !tty && 'stderr', tty && 'resize'].filter((each) => each !== false);
}

/** The head of the response that switches a connection to SPDY/3.1 with this protocol. */
export const acceptSpdy = (protocol: string) =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`;

/** Whether a SPDY client offers a protocol, in one header line each or in a comma-separated list. */
export function offersSpdyProtocol({ headers }: IncomingMessage, protocol: string): boolean {
  return [headers['x-stream-protocol-version'] ?? '']
    .flat()
    .join(',')
    .split(',')
    .some((each) => each.trim() === protocol);
}

/**
 * Accepts an exec or attach over SPDY/3.1: resolves when the client has opened its streams, rejects if it does not. Throws
 * UpgradeUnacceptable for an unsupported version.
 */
export async function acceptOverSpdy(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  requested: RemoteCommandStreams,
  clock: Clock,
): Promise<RemoteCommand> {
  if (!offersSpdyProtocol(request, remoteCommandProtocol)) {
    throw unacceptable(403, `none of the offered protocols is ${remoteCommandProtocol}`);
  }
  socket.write(acceptSpdy(remoteCommandProtocol));
  const missing = new Set(streamTypes(requested));
  const streams = new Map<string, SpdyStream>();
  const disconnected = new AbortController();
  const session = await new Promise<ReturnType<typeof createSpdySession>>((resolve, reject) => {
    const opened = createSpdySession({
      socket,
      head,
      role: 'server',
      onStream(stream) {
        const type = stream.headers.streamtype ?? '';
        if (!missing.delete(type)) {
          stream.destroy();
          return;
        }
        streams.set(type, stream);
        if (missing.size > 0) return;
        timer.cancel();
        resolve(opened);
      },
    });
    const timer = clock.setTimeout(() => {
      socket.destroy();
      reject(unacceptable(408, `timed out waiting for streams: ${[...missing].join(', ')}`));
    }, streamsTimeoutMs);
    void opened.closed.then(() => {
      timer.cancel();
      disconnected.abort();
      reject(unacceptable(400, 'the client closed the connection before it opened its streams'));
    });
  });

  const resizes = createResizes();
  const resize = streams.get('resize');
  if (resize) readSizes(resize, resizes.take);
  const stdin = streams.get('stdin');
  const [stdout, stderr, error] = ['stdout', 'stderr', 'error'].map((type) => streams.get(type)?.resume());
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize: resizes.on,
    signal: disconnected.signal,
    async finish(status) {
      // Not before: kubectl stops sending standard input when our direction of its stream ends.
      await Promise.all([stdin?.resume(), stdout, stderr].map(endAndFlush));
      error?.write(Buffer.from(status));
      await endAndFlush(error);
      session.close();
    },
  };
}

/** Sizes are concatenated JSON objects. */
function readSizes(stream: Readable, onSize: (text: string) => void): void {
  let text = '';
  stream.on('data', (piece: Buffer) => {
    const parts = (text + piece.toString()).slice(-longestText).split('}');
    text = parts.pop() ?? '';
    for (const part of parts) onSize(`${part}}`);
  });
}
