import type { Duplex, Readable, Writable } from 'node:stream';
import { createSpdySession } from '../spdy/session.js';
import type { SpdyStream } from '../spdy/stream.js';
import { remoteCommandProtocol, streamTypes } from './over-spdy.js';
import type { RemoteCommandStreams, TerminalSize } from './streams.js';

/** The headers of a client's request for a remote command over SPDY/3.1. */
export const openHeaders = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', remoteCommandProtocol] as const;

/** The client side of an exec or attach. */
export interface OpenedCommand {
  stdin?: Writable;
  /** Present if requested. Read it and `stderr` to the end: the command does not end before its output is read. */
  stdout?: Readable;
  stderr?: Readable;
  /** Sends the size of the terminal; does nothing without a terminal. */
  resize(size: TerminalSize): void;
  /** Resolves with the text of the error stream, a `v1.Status` in JSON, after the outputs have ended; empty if the connection was lost before. */
  ended: Promise<string>;
  /** Closes the connection. */
  close(): void;
}

/** Opens the streams of a command on a connection that was upgraded with {@link openHeaders}. */
export function openRemoteCommand({ socket, head }: { socket: Duplex; head?: Buffer }, requested: RemoteCommandStreams): OpenedCommand {
  const session = createSpdySession({ socket, role: 'client', head });
  const streams = new Map<string, SpdyStream>(streamTypes(requested).map((type) => [type, session.open({ streamtype: type })]));
  const [error, stdin, stdout, stderr, resize] = ['error', 'stdin', 'stdout', 'stderr', 'resize'].map((type) => streams.get(type));
  error?.end();
  stdin?.resume();
  resize?.resume();
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    resize: (size) => void (resize?.writable && resize.write(JSON.stringify(size))),
    ended: Promise.all([textOf(error), closed(stdout), closed(stderr)]).then(([text]) => text),
    close() {
      session.close();
      socket.resume();
    },
  };
}

/** The text of a stream until it ends or fails. */
async function textOf(stream: Readable | undefined): Promise<string> {
  let text = '';
  stream?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  await closed(stream);
  return text;
}

/** Resolves when the stream is closed. */
function closed(stream: Readable | undefined): Promise<void> {
  if (stream === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
  });
}
