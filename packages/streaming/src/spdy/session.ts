import type { Duplex } from 'node:stream';
import { errorMessage } from '@nodeagent/api';
import { protocolError, streamReset } from '../errors.js';
import { createReplyWriter } from '../reply-writer.js';
import { controlFrame, createFrameSplitter, dataFrameHead, finFlag, frameType, resetReason, type SpdyFrame, words } from './frames.js';
import { createHeaderDecoder, createHeaderEncoder, type SpdyHeaders } from './header-block.js';
import { type SpdyStream, Stream, type StreamLink } from './stream.js';

/** Maximum number of concurrent streams of a connection; further ones are refused. */
const maxStreams = 1000;

/** A SPDY/3.1 connection as Kubernetes uses it: streams and pings, without flow control per stream. */
export interface SpdySession {
  /** Opens a stream to the peer. */
  open(headers: SpdyHeaders): SpdyStream;
  /** Resolves when the connection is closed. Never rejects. */
  closed: Promise<void>;
  /** Sends GOAWAY, and closes the connection when all data is sent. */
  close(): void;
}

/** Options of {@link createSpdySession}. */
export interface SpdySessionOptions {
  /** The connection; the session closes it. */
  socket: Duplex;
  /** Bytes already read from it. Default: none. */
  head?: Uint8Array;
  /** Our side of the connection. */
  role: 'client' | 'server';
  /** Called for each stream that the peer opens. Default: they are refused. */
  onStream?(stream: SpdyStream): void;
}

/** Creates a SPDY/3.1 session (draft-mbelshe-httpbis-spdy-00) on an upgraded connection. */
export function createSpdySession(options: SpdySessionOptions): SpdySession {
  return new Session(options);
}

class Session implements SpdySession {
  readonly closed: Promise<void>;
  readonly #socket: Duplex;
  readonly #onStream: SpdySessionOptions['onStream'];
  readonly #streams = new Map<number, Stream>();
  readonly #encodeHeaders = createHeaderEncoder();
  readonly #headerDecoder = createHeaderDecoder();
  readonly #answer: ReturnType<typeof createReplyWriter>;
  readonly #link: StreamLink;
  #nextId: number;

  constructor({ socket, head, role, onStream }: SpdySessionOptions) {
    this.#socket = socket;
    this.#onStream = onStream;
    this.#answer = createReplyWriter(socket);
    this.#link = streamLink(socket, (id) => void this.#streams.delete(id));
    this.#nextId = role === 'client' ? 1 : 2;
    this.closed = this.#run(head);
  }

  open(headers: SpdyHeaders): SpdyStream {
    const stream = new Stream(this.#nextId, headers, this.#link);
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    this.#socket.write(controlFrame(frameType.synStream, 0, words(stream.id, 0), Buffer.alloc(2), this.#encodeHeaders(headers)));
    return stream;
  }

  close(): void {
    if (!this.#socket.writable) return;
    this.#socket.end(controlFrame(frameType.goAway, 0, words(0, 0)));
  }

  /** Reads the connection to its end. */
  async #run(head: Uint8Array | undefined): Promise<void> {
    const socket = this.#socket;
    const split = createFrameSplitter();
    let reason = streamReset('the connection ended');
    socket.on('error', () => {});
    // An unread stream blocks the loop below, which then does not see the end of the connection.
    socket.once('close', () => this.#loseStreams(reason));
    if (head !== undefined && head.length > 0) socket.unshift(head);
    try {
      for await (const chunk of socket) for (const frame of split(chunk as Buffer)) await this.#onFrame(frame);
    } catch (error) {
      reason = streamReset(errorMessage(error));
    }
    socket.destroy();
    this.#headerDecoder.close();
    this.#loseStreams(reason);
    this.#streams.clear();
  }

  #loseStreams(reason: Error): void {
    for (const stream of [...this.#streams.values()]) stream.lost(reason);
  }

  async #onFrame(frame: SpdyFrame): Promise<void> {
    if (frame.control !== undefined) {
      await this.#onControl(frame.control, frame.flags, frame.body);
      return;
    }
    const stream = this.#streams.get(frame.streamId);
    await stream?.took(frame.data);
    if (frame.fin) stream?.ended();
  }

  async #onControl(type: number, flags: number, body: Buffer): Promise<void> {
    if (body.length < 4 && type !== frameType.settings) throw protocolError('SPDY: a control frame is too short');
    const stream = this.#streams.get(body.length >= 4 ? streamIdOf(body) : 0);
    switch (type) {
      case frameType.synStream:
        if (body.length < 10) throw protocolError('SPDY: a control frame is too short');
        await this.#opened(body, flags);
        break;
      case frameType.synReply:
      case frameType.headers:
        // Kubernetes does not use these headers, but they must be decompressed to keep the zlib state for later ones.
        await this.#headerDecoder.decode(body.subarray(4));
        if ((flags & finFlag) !== 0) stream?.ended();
        break;
      case frameType.rstStream:
        stream?.wasReset();
        break;
      case frameType.ping:
        await this.#answer(controlFrame(frameType.ping, 0, body.subarray(0, 4)));
        break;
    }
  }

  /** The peer opened a stream. */
  async #opened(body: Buffer, flags: number): Promise<void> {
    const id = streamIdOf(body);
    const onStream = this.#onStream;
    const headers = await this.#headerDecoder.decode(body.subarray(10));
    if (onStream === undefined || this.#streams.size >= maxStreams || this.#streams.has(id)) {
      await this.#answer(controlFrame(frameType.rstStream, 0, words(id, resetReason.refusedStream)));
      return;
    }
    const stream = new Stream(id, headers, this.#link);
    this.#streams.set(id, stream);
    await this.#answer(controlFrame(frameType.synReply, 0, words(id), this.#encodeHeaders({})));
    if ((flags & finFlag) !== 0) stream.ended();
    onStream(stream);
  }
}

const streamIdOf = (body: Buffer): number => body.readUInt32BE(0) & 0x7fff_ffff;

/** What the streams of the connection send, and what they do when they end. */
const streamLink = (socket: Duplex, forget: StreamLink['forget']): StreamLink => ({
  data(id, chunk, flags, done) {
    socket.cork();
    socket.write(dataFrameHead(id, chunk.length, flags));
    socket.write(chunk, done);
    socket.uncork();
  },
  reset(id) {
    if (socket.writable) socket.write(controlFrame(frameType.rstStream, 0, words(id, resetReason.cancel)));
  },
  forget,
});
