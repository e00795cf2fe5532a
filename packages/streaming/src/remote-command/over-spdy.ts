import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Clock } from '@nodeagent/api';
import { unacceptable } from '../errors.js';
import { flushed } from '../pushed.js';
import { createSpdySession, type SpdyStream } from '../spdy/session.js';
import { createResizes, type RemoteCommand, type WantedStreams } from './streams.js';

/** The version of the protocol that tells how a command ended and how large its terminal is. */
export const remoteCommandProtocol = 'v4.channel.k8s.io';

/** How long a client may take to open its streams. */
const streamsTimeoutMs = 30_000;

/** Longest text that is read whole from a stream: a status or a terminal's sizes. */
const longestText = 64 * 1024;

/** The names of the streams in their header `streamType`, the error stream first. */
export function streamTypes({ stdin, stdout, stderr, tty }: WantedStreams): string[] {
  return ['error', stdin && 'stdin', stdout && 'stdout', stderr && !tty && 'stderr', tty && 'resize'].filter((each) => each !== false);
}

/** The head of the answer that makes a connection one of SPDY/3.1 for this protocol. */
export const acceptSpdy = (protocol: string) =>
  `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`;

/** Whether a SPDY client offers a protocol; it names one a header line, or several between commas. */
export function offersSpdyProtocol({ headers }: IncomingMessage, protocol: string): boolean {
  return [headers['x-stream-protocol-version'] ?? '']
    .flat()
    .join(',')
    .split(',')
    .some((each) => each.trim() === protocol);
}

/**
 * Takes an exec or attach that comes as SPDY/3.1: resolves when the client has opened its streams, rejects if it does not. Throws
 * UpgradeUnacceptable for a version that it does not speak.
 */
export async function acceptOverSpdy(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  wanted: WantedStreams,
  clock: Clock,
): Promise<RemoteCommand> {
  if (!offersSpdyProtocol(request, remoteCommandProtocol)) {
    throw unacceptable(403, `none of the offered protocols is ${remoteCommandProtocol}`);
  }
  socket.write(acceptSpdy(remoteCommandProtocol));
  const missing = new Set(streamTypes(wanted));
  const streams = new Map<string, SpdyStream>();
  const gone = new AbortController();
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
      gone.abort();
      reject(unacceptable(400, 'the client went before its streams were there'));
    });
  });

  const resizes = createResizes();
  const resize = streams.get('resize');
  if (resize) readSizes(resize, resizes.take);
  const stdin = streams.get('stdin');
  stdin?.end();
  const [stdout, stderr, error] = ['stdout', 'stderr', 'error'].map((type) => streams.get(type)?.resume());
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    onResize: resizes.on,
    signal: gone.signal,
    async finish(status) {
      stdin?.resume();
      await Promise.all([flushed(stdout), flushed(stderr)]);
      error?.write(Buffer.from(status));
      await flushed(error);
      session.close();
    },
  };
}

/** Sizes come as JSON texts, one behind the other. */
function readSizes(stream: Readable, onSize: (text: string) => void): void {
  let text = '';
  stream.on('data', (piece: Buffer) => {
    const parts = (text + piece.toString()).slice(-longestText).split('}');
    text = parts.pop() ?? '';
    for (const part of parts) onSize(`${part}}`);
  });
}
