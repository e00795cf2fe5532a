import type { Duplex, Readable, Writable } from 'node:stream';
import { createSpdySession, type SpdyStream } from '../spdy/session.js';
import { remoteCommandProtocol, streamTypes } from './over-spdy.js';
import type { TerminalSize, WantedStreams } from './streams.js';

/** The headers by which a client asks for the streams of a remote command over SPDY/3.1. */
export const openHeaders = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', remoteCommandProtocol] as const;

/** The client's side of an exec or attach. */
export interface OpenedCommand {
  stdin?: Writable;
  /** To be read, as `stderr`, if wanted: a command does not end before its output has left. */
  stdout?: Readable;
  stderr?: Readable;
  /** Tells the size of the terminal; nothing happens if there is none. */
  resize(size: TerminalSize): void;
  /** The text of the error stream, JSON of a `v1.Status`, once the outputs have ended too; empty if the connection broke before. */
  ended: Promise<string>;
  /** Ends the connection. */
  close(): void;
}

/** Opens the streams of a command on a connection that was upgraded with {@link openHeaders}. */
export function openRemoteCommand({ socket, head }: { socket: Duplex; head?: Buffer }, wanted: WantedStreams): OpenedCommand {
  const session = createSpdySession({ socket, role: 'client', ...(head && { head }) });
  const streams = new Map<string, SpdyStream>(streamTypes(wanted).map((type) => [type, session.open({ streamtype: type })]));
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

/** What a stream gives until it ends or breaks. */
async function textOf(stream: Readable | undefined): Promise<string> {
  let text = '';
  stream?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  await closed(stream);
  return text;
}

/** Resolves when nothing more can be read. */
function closed(stream: Readable | undefined): Promise<void> {
  if (stream === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('end', resolve);
    stream.once('close', resolve);
  });
}
