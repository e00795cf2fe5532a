import type { Socket } from 'node:net';
import { initialWindowBytes, ReceiveWindow, receiveWindowBytes } from './flow-control.js';
import {
  ConnectionError,
  createFrameReader,
  createFrameWriter,
  encodeNumbers,
  encodeSettings,
  type FrameWriter,
  frameFlags,
  frameTypes,
  http2Errors,
  withoutPadding,
} from './frames.js';
import { createHeaderBlocks, type HeaderBlock } from './header-blocks.js';
import { createHeaderDecoder, maxHeaderListBytes } from './hpack.js';
import type { OpenSocket } from './sockets.js';
import { createStreams, type PeerLimits, type StreamEnd, type StreamEvents, type Streams } from './streams.js';

/** One request and its response. */
export interface Stream {
  /** Lets the peer send as many bytes more. */
  consume(bytes: number): void;
  /** Resets the stream; no event follows. */
  cancel(): void;
}

/** An HTTP/2 connection. */
export interface Session {
  /** Whether new requests can be opened: false after the peer's GOAWAY and once closed. */
  readonly isUsable: boolean;
  open(headerBlock: Buffer, body: Buffer, events: StreamEvents): Stream;
  /** Closes the connection and ends all streams. Idempotent. */
  destroy(error: Error): void;
}

export interface SessionOptions {
  open: OpenSocket;
  /** The peer has sent its settings: it speaks HTTP/2. */
  onReady(): void;
  /** The connection is closed. Called once, before the streams end. */
  onClose(error: Error): void;
}

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** What a connection receives in a turn of the event loop. libuv alone reads up to 2 MiB, which as small frames take a second. */
const maxTurnBytes = 128 * 1024;
/** Acknowledgements that wait because the peer does not read. A peer that works has at most a few. */
const maxUnreadAcks = 1000;
const pingBytes = 8;

const settings = encodeSettings([
  // No dynamic header table: each header block is complete in itself.
  [1, 0],
  // No pushed streams.
  [2, 0],
  // The window of a stream.
  [4, receiveWindowBytes.stream],
  [6, maxHeaderListBytes],
]);
const noPayload = Buffer.alloc(0);

const settingIds = { maxConcurrentStreams: 3, initialWindow: 4 };

/**
 * Opens a connection. It implements what a gRPC client with one peer on the same machine needs of RFC 9113: no priorities, no pushed streams,
 * no TLS, no dynamic header table. Frames of one turn of the event loop are written together. The socket keeps the process alive only while
 * streams are open.
 */
export function openSession(options: SessionOptions): Session {
  return new Connection(options);
}

class Connection implements Session {
  readonly #onReady: () => void;
  readonly #onClose: (error: Error) => void;
  readonly #socket: Socket;
  readonly #frames: FrameWriter;
  readonly #streams: Streams;
  readonly #readFrames = createFrameReader((type, flags, id, payload) => this.#onFrame(type, flags, id, payload));
  readonly #headerBlocks = createHeaderBlocks();
  readonly #decodeFirst = createHeaderDecoder();
  readonly #decodeLast = createHeaderDecoder();
  readonly #window = new ReceiveWindow(receiveWindowBytes.connection);
  #isConnected: boolean;
  #isReady = false;
  #isClosed = false;
  #unreadAcks = 0;
  #turnBytes = 0;

  constructor({ open, onReady, onClose }: SessionOptions) {
    this.#onReady = onReady;
    this.#onClose = onClose;
    this.#socket = open((bytes) => this.#receive(bytes));
    this.#isConnected = !this.#socket.pending;
    this.#socket.on('connect', () => {
      this.#isConnected = true;
    });
    this.#socket.on('error', (error) => this.destroy(error));
    this.#socket.on('close', () => this.destroy(peerClosed()));
    this.#socket.write(preface);
    this.#frames = createFrameWriter((bytes) => {
      if (!this.#isClosed) this.#socket.write(bytes);
    });
    this.#streams = createStreams(this.#frames, () => this.#afterStream());
    this.#frames.write(frameTypes.settings, 0, 0, settings);
    this.#frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(receiveWindowBytes.connection - initialWindowBytes));
  }

  get isUsable(): boolean {
    return !this.#isClosed && !this.#streams.isDraining;
  }

  open(headerBlock: Buffer, body: Buffer, events: StreamEvents): Stream {
    this.#socket.ref();
    const streams = this.#streams;
    const stream = streams.open(headerBlock, body, events);
    return {
      consume: (bytes) => streams.consume(stream, bytes),
      cancel: () => streams.cancel(stream),
    };
  }

  destroy(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#onClose(error);
    const end: StreamEnd = this.#isConnected ? { kind: 'disconnected', error } : { kind: 'unreachable', error };
    this.#streams.close(end);
  }

  #afterStream(): void {
    if (this.#streams.size === 0) this.#socket.unref();
    this.#closeIfDrained();
  }

  #closeIfDrained(): void {
    if (this.#streams.isDraining && this.#streams.size === 0) this.destroy(peerClosed());
  }

  #receive(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#turnBytes += bytes.length;
    if (this.#turnBytes > maxTurnBytes) this.#waitForNextTurn();
    try {
      this.#readFrames(bytes);
    } catch (error) {
      const code = error instanceof ConnectionError ? error.http2Code : http2Errors.compressionError;
      this.#frames.write(frameTypes.goAway, 0, 0, encodeNumbers(0, code));
      this.#frames.flush();
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #waitForNextTurn(): void {
    this.#turnBytes = 0;
    this.#socket.pause();
    setImmediate(() => this.#socket.resume());
  }

  #onFrame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#isClosed) return;
    this.#headerBlocks.check(type, id);
    switch (type) {
      case frameTypes.data:
        this.#onData(flags, id, payload);
        break;
      case frameTypes.headers:
      case frameTypes.continuation: {
        const block = this.#headerBlocks.add(type, flags, id, payload);
        if (block !== undefined) this.#onHeaders(block);
        break;
      }
      case frameTypes.resetStream:
        this.#onReset(id, numberAt(payload, 0));
        break;
      case frameTypes.settings:
        if ((flags & frameFlags.ack) === 0) this.#onSettings(payload);
        break;
      case frameTypes.ping:
        this.#onPing(flags, payload);
        break;
      case frameTypes.goAway:
        this.#streams.drain(numberAt(payload, 0) & 0x7fffffff);
        this.#closeIfDrained();
        break;
      case frameTypes.windowUpdate:
        this.#streams.addSendWindow(id, numberAt(payload, 0) & 0x7fffffff);
        break;
      case frameTypes.pushPromise:
        throw new ConnectionError(http2Errors.protocolError, 'pushed stream');
      default:
    }
  }

  #onData(flags: number, id: number, payload: Buffer): void {
    this.#window.receive(payload.length);
    const update = this.#window.consume(payload.length);
    if (update > 0) this.#frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(update));
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.window.receive(payload.length);
    const bytes = (flags & frameFlags.padded) === 0 ? payload : withoutPadding(flags & frameFlags.padded, payload);
    this.#streams.consume(stream, payload.length - bytes.length);
    stream.events.data(bytes);
    if ((flags & frameFlags.endStream) !== 0) this.#streams.complete(id);
  }

  #onHeaders({ id, isEnd, bytes }: HeaderBlock): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const decode = isEnd ? this.#decodeLast : this.#decodeFirst;
    stream.events.headers(decode(bytes), isEnd);
    if (isEnd) this.#streams.complete(id);
  }

  #onReset(id: number, code: number): void {
    const stream = this.#streams.get(id);
    if (stream) this.#streams.end(stream, code === http2Errors.refusedStream ? { kind: 'refused' } : { kind: 'reset', code });
  }

  #onSettings(payload: Buffer): void {
    this.#streams.limit({ ...(!this.#isReady && { maxStreams: Number.POSITIVE_INFINITY }), ...peerLimits(payload) });
    this.#acknowledge(frameTypes.settings, noPayload);
    if (!this.#isReady) {
      this.#isReady = true;
      this.#onReady();
    }
    this.#streams.resume();
  }

  #onPing(flags: number, payload: Buffer): void {
    if (payload.length !== pingBytes) throw new ConnectionError(http2Errors.frameSizeError, `PING of ${payload.length} bytes`);
    if ((flags & frameFlags.ack) === 0) this.#acknowledge(frameTypes.ping, payload);
  }

  /** Bounds what is kept for a peer that sends frames and does not read the acknowledgements. */
  #acknowledge(type: number, payload: Buffer): void {
    this.#unreadAcks = this.#socket.writableLength === 0 ? 1 : this.#unreadAcks + 1;
    if (this.#unreadAcks > maxUnreadAcks) {
      throw new ConnectionError(http2Errors.enhanceYourCalm, `the peer has not read ${this.#unreadAcks} acknowledgements`);
    }
    this.#frames.writeLater(type, frameFlags.ack, 0, payload);
  }
}

/** The limits in a SETTINGS frame. */
function peerLimits(payload: Buffer): PeerLimits {
  const limits: PeerLimits = {};
  for (let at = 0; at + 6 <= payload.length; at += 6) {
    const id = payload.readUInt16BE(at);
    if (id === settingIds.maxConcurrentStreams) limits.maxStreams = numberAt(payload, at + 2);
    else if (id === settingIds.initialWindow) limits.initialWindow = numberAt(payload, at + 2);
  }
  return limits;
}

const peerClosed = () => Object.assign(new Error('the peer closed the connection'), { code: 'ECONNRESET' });

function numberAt(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw new ConnectionError(http2Errors.frameSizeError, `frame of ${payload.length} bytes is too short`);
  return payload.readUInt32BE(at);
}
