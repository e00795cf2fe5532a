import { Duplex } from 'node:stream';
import { checkOptionNames, errorMessage } from '@nodeagent/api';
import { protocolError, streamReset } from '../errors.js';
import { createReplyWriter } from '../reply-writer.js';
import { controlFrame, createFrameSplitter, dataFrameHead, finFlag, frameType, resetReason, type SpdyFrame, words } from './frames.js';
import { createHeaderDecoder, createHeaderEncoder, type SpdyHeaders } from './header-block.js';

/** Maximum number of concurrent streams of a connection; further ones are refused. */
const maxStreams = 1000;

/** A stream of a SPDY connection. Ending it closes our direction only; destroying it cancels the stream for the peer. */
export interface SpdyStream extends Duplex {
  readonly headers: SpdyHeaders;
}

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
  checkOptionNames('createSpdySession', options, { socket: true, head: true, role: true, onStream: true });
  const { socket, head, role, onStream } = options;
  const streams = new Map<number, Stream>();
  const encodeHeaders = createHeaderEncoder();
  const headerDecoder = createHeaderDecoder();
  const split = createFrameSplitter();
  const answer = createReplyWriter(socket);
  let nextId = role === 'client' ? 1 : 2;

  const link: StreamLink = {
    data(id, chunk, flags, done) {
      socket.cork();
      socket.write(dataFrameHead(id, chunk.length, flags));
      socket.write(chunk, done);
      socket.uncork();
    },
    reset: (id) => {
      if (socket.writable) socket.write(controlFrame(frameType.rstStream, 0, words(id, resetReason.cancel)));
    },
    forget: (id) => void streams.delete(id),
  };

  const opened = async (body: Buffer, flags: number) => {
    const id = body.readUInt32BE(0) & 0x7fff_ffff;
    const headers = await headerDecoder.decode(body.subarray(10));
    if (onStream === undefined || streams.size >= maxStreams || streams.has(id)) {
      await answer(controlFrame(frameType.rstStream, 0, words(id, resetReason.refusedStream)));
      return;
    }
    const stream = new Stream(id, headers, link);
    streams.set(id, stream);
    await answer(controlFrame(frameType.synReply, 0, words(id), encodeHeaders({})));
    if ((flags & finFlag) !== 0) stream.ended();
    onStream(stream);
  };

  const onControl = async (type: number, flags: number, body: Buffer) => {
    if (body.length < 4 && type !== frameType.settings) throw protocolError('SPDY: a control frame is too short');
    const stream = streams.get(body.length >= 4 ? body.readUInt32BE(0) & 0x7fff_ffff : 0);
    switch (type) {
      case frameType.synStream:
        if (body.length < 10) throw protocolError('SPDY: a control frame is too short');
        await opened(body, flags);
        break;
      case frameType.synReply:
      case frameType.headers:
        // Kubernetes does not use these headers, but they must be decompressed to keep the zlib state for later ones.
        await headerDecoder.decode(body.subarray(4));
        if ((flags & finFlag) !== 0) stream?.ended();
        break;
      case frameType.rstStream:
        stream?.wasReset();
        break;
      case frameType.ping:
        await answer(controlFrame(frameType.ping, 0, body.subarray(0, 4)));
        break;
    }
  };

  const onFrame = async (frame: SpdyFrame) => {
    if (frame.control !== undefined) {
      await onControl(frame.control, frame.flags, frame.body);
      return;
    }
    const stream = streams.get(frame.streamId);
    await stream?.took(frame.data);
    if (frame.fin) stream?.ended();
  };

  const run = async () => {
    let reason = streamReset('the connection ended');
    socket.on('error', () => {});
    // An unread stream blocks the loop below, which then does not see the end of the connection.
    socket.once('close', () => {
      for (const stream of [...streams.values()]) stream.lost(reason);
    });
    if (head !== undefined && head.length > 0) socket.unshift(head);
    try {
      for await (const chunk of socket) for (const frame of split(chunk as Buffer)) await onFrame(frame);
    } catch (error) {
      reason = streamReset(errorMessage(error));
    }
    socket.destroy();
    headerDecoder.close();
    for (const stream of [...streams.values()]) stream.lost(reason);
    streams.clear();
  };

  return {
    closed: run(),
    open(headers) {
      const stream = new Stream(nextId, headers, link);
      nextId += 2;
      streams.set(stream.id, stream);
      socket.write(controlFrame(frameType.synStream, 0, words(stream.id, 0), Buffer.alloc(2), encodeHeaders(headers)));
      return stream;
    },
    close() {
      if (!socket.writable) return;
      socket.end(controlFrame(frameType.goAway, 0, words(0, 0)));
    },
  };
}

/** The operations of a connection that its streams use. */
interface StreamLink {
  data(id: number, chunk: Uint8Array, flags: number, done: (error?: Error | null) => void): void;
  reset(id: number): void;
  forget(id: number): void;
}

class Stream extends Duplex implements SpdyStream {
  #hasEnded = false;
  #isReset = false;
  #onRoom = () => {};

  constructor(
    readonly id: number,
    readonly headers: SpdyHeaders,
    readonly link: StreamLink,
  ) {
    super({ allowHalfOpen: true });
    this.on('error', () => {});
  }

  /** The peer sent data; resolves when there is room for more. */
  async took(data: Buffer): Promise<void> {
    if (this.#hasEnded || this.destroyed || data.length === 0 || this.push(data)) return;
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve;
    });
  }

  /** The peer has closed its direction. */
  ended(): void {
    if (!this.#hasEnded && !this.destroyed) this.push(null);
    this.#hasEnded = true;
  }

  /** The peer cancelled the stream: data received before can still be read, but no more data can be sent. */
  wasReset(): void {
    this.#isReset = true;
    this.ended();
    if (this.writableNeedDrain || this.writableLength > 0) this.destroy(streamReset('the peer cancelled the stream'));
    else this.end();
  }

  /** The connection was lost. */
  lost(reason: Error): void {
    this.#isReset = true;
    if (this.#hasEnded) this.end();
    else this.destroy(reason);
  }

  override _read(): void {
    this.#onRoom();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isReset) done(streamReset('the peer cancelled the stream'));
    else this.link.data(this.id, chunk, 0, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isReset) done();
    else this.link.data(this.id, Buffer.alloc(0), finFlag, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onRoom();
    if (!this.#isReset && !(this.#hasEnded && this.writableFinished)) this.link.reset(this.id);
    this.link.forget(this.id);
    done(error);
  }
}
