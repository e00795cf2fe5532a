import type { Socket } from 'node:net';
import { initialWindowBytes, ReceiveWindow, receiveWindowBytes } from './flow-control.js';
import {
  ConnectionError,
  createFrameReader,
  createFrameWriter,
  encodeNumbers,
  encodeSettings,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
  http2Errors,
  maxFrameBytes,
  withoutPadding,
} from './frames.js';
import { createHeaderDecoder, type Headers, maxHeaderListBytes } from './hpack.js';
import type { OpenSocket } from './sockets.js';

/** How a stream ended. */
export type StreamEnd =
  /** The peer sent all that it had to send. */
  | { kind: 'complete' }
  /** The peer reset the stream. */
  | { kind: 'reset'; code: number }
  /** The peer has not processed the request: it may be sent again. */
  | { kind: 'refused' }
  /** The connection was lost. */
  | { kind: 'disconnected'; error: Error }
  /** The connection could not be opened. */
  | { kind: 'unreachable'; error: Error };

/** Receives the response of a stream; `end` is the last call. */
export interface StreamEvents {
  /** The first headers, and the trailers; `isLast` if nothing follows. */
  headers(headers: Headers, isLast: boolean): void;
  /** The bytes are valid only during the call. They count against the window of the stream until `consume`. */
  data(bytes: Buffer): void;
  end(end: StreamEnd): void;
}

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
/** What every server admits: RFC 9113, section 6.5.2. More could make it close the connection before its settings arrive. */
const maxStreamsBeforeSettings = 100;

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

const lastStreamId = 2 ** 31 - 1;
const settingIds = { maxConcurrentStreams: 3, initialWindow: 4 };

interface OpenStream {
  /** 0 while the stream waits because the peer's maximum number of streams is open. */
  id: number;
  sendWindow: number;
  headerBlock: Buffer;
  /** The part of the body that the peer's windows have not admitted yet. */
  unsent: Buffer;
  events: StreamEvents;
  window: ReceiveWindow;
}

/**
 * Opens a connection. It implements what a gRPC client with one peer on the same machine needs of RFC 9113: no priorities, no pushed streams,
 * no TLS, no dynamic header table. Frames of one turn of the event loop are written together. The socket keeps the process alive only while
 * streams are open.
 */
export function openSession({ open, onReady, onClose }: SessionOptions): Session {
  const streams = new Map<number, OpenStream>();
  const waiting = new Set<OpenStream>();
  const decodeFirst = createHeaderDecoder();
  const decodeLast = createHeaderDecoder();
  const connectionWindow = new ReceiveWindow(receiveWindowBytes.connection);
  const peer = { maxStreams: maxStreamsBeforeSettings, initialWindow: initialWindowBytes };
  let connectionSendWindow = initialWindowBytes;
  let nextId = 1;
  let isReady = false;
  let isDraining = false;
  let isClosed = false;
  let unreadAcks = 0;
  let turnBytes = 0;
  /** The header block that CONTINUATION frames complete. */
  let headerParts: { id: number; isEnd: boolean; parts: Buffer[]; bytes: number } | undefined;

  const readFrames = createFrameReader(onFrame);
  const socket: Socket = open(receive);
  let isConnected = !socket.connecting;
  socket.on('connect', () => {
    isConnected = true;
  });
  socket.on('error', (error) => destroy(error));
  socket.on('close', () => destroy(peerClosed()));
  socket.write(preface);
  const frames = createFrameWriter((bytes) => {
    if (!isClosed) socket.write(bytes);
  });
  frames.write(frameTypes.settings, 0, 0, settings);
  frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(receiveWindowBytes.connection - initialWindowBytes));

  function receive(bytes: Buffer): void {
    if (isClosed) return;
    turnBytes += bytes.length;
    if (turnBytes > maxTurnBytes) waitForNextTurn();
    try {
      readFrames(bytes);
    } catch (error) {
      const code = error instanceof ConnectionError ? error.http2Code : http2Errors.compressionError;
      frames.write(frameTypes.goAway, 0, 0, encodeNumbers(0, code));
      frames.flush();
      destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function waitForNextTurn(): void {
    turnBytes = 0;
    socket.pause();
    setImmediate(() => socket.resume());
  }

  function onFrame(type: number, flags: number, id: number, payload: Buffer): void {
    if (isClosed) return;
    if (headerParts !== undefined && (type !== frameTypes.continuation || id !== headerParts.id)) {
      throw new ConnectionError(http2Errors.protocolError, 'header block interrupted by another frame');
    }
    switch (type) {
      case frameTypes.data:
        onData(flags, id, payload);
        break;
      case frameTypes.headers:
        headerParts = { id, isEnd: (flags & frameFlags.endStream) !== 0, parts: [], bytes: 0 };
        onHeaderPart(headerParts, flags, withoutPadding(flags, payload));
        break;
      case frameTypes.continuation:
        if (headerParts === undefined) throw new ConnectionError(http2Errors.protocolError, 'CONTINUATION without HEADERS');
        onHeaderPart(headerParts, flags, payload);
        break;
      case frameTypes.resetStream:
        onReset(id, numberAt(payload, 0));
        break;
      case frameTypes.settings:
        if ((flags & frameFlags.ack) === 0) onSettings(payload);
        break;
      case frameTypes.ping:
        if (payload.length !== pingBytes) {
          throw new ConnectionError(http2Errors.frameSizeError, `PING of ${payload.length} bytes`);
        }
        if ((flags & frameFlags.ack) === 0) acknowledge(frameTypes.ping, payload);
        break;
      case frameTypes.goAway:
        onGoAway(numberAt(payload, 0) & 0x7fffffff);
        break;
      case frameTypes.windowUpdate:
        onWindowUpdate(id, numberAt(payload, 0) & 0x7fffffff);
        break;
      case frameTypes.pushPromise:
        throw new ConnectionError(http2Errors.protocolError, 'pushed stream');
      default:
    }
  }

  /** Bounds what is kept for a peer that sends frames and does not read the acknowledgements. */
  function acknowledge(type: number, payload: Buffer): void {
    unreadAcks = socket.writableLength === 0 ? 1 : unreadAcks + 1;
    if (unreadAcks > maxUnreadAcks) {
      throw new ConnectionError(http2Errors.enhanceYourCalm, `the peer has not read ${unreadAcks} acknowledgements`);
    }
    frames.write(type, frameFlags.ack, 0, payload);
  }

  function onData(flags: number, id: number, payload: Buffer): void {
    connectionWindow.receive(payload.length);
    const update = connectionWindow.consume(payload.length);
    if (update > 0) frames.write(frameTypes.windowUpdate, 0, 0, encodeNumbers(update));
    const stream = streams.get(id);
    if (stream === undefined) return;
    stream.window.receive(payload.length);
    const bytes = (flags & frameFlags.padded) === 0 ? payload : withoutPadding(flags & frameFlags.padded, payload);
    consume(stream, payload.length - bytes.length);
    stream.events.data(bytes);
    if ((flags & frameFlags.endStream) !== 0) onEndOfStream(id);
  }

  function onHeaderPart(block: NonNullable<typeof headerParts>, flags: number, part: Buffer): void {
    // Empty parts are stored too, so each part counts with the header of its frame.
    block.bytes += frameHeaderBytes + part.length;
    if (block.bytes > maxHeaderListBytes) throw new ConnectionError(http2Errors.enhanceYourCalm, `headers of ${block.bytes} bytes`);
    const isLast = (flags & frameFlags.endHeaders) !== 0;
    // A part that is not the last is copied, because its bytes are valid only during the call.
    block.parts.push(isLast ? part : Buffer.from(part));
    if (!isLast) return;
    headerParts = undefined;
    const stream = streams.get(block.id);
    if (stream === undefined) return;
    const decode = block.isEnd ? decodeLast : decodeFirst;
    stream.events.headers(decode(block.parts.length === 1 ? part : Buffer.concat(block.parts)), block.isEnd);
    if (block.isEnd) onEndOfStream(block.id);
  }

  function onEndOfStream(id: number): void {
    const stream = streams.get(id);
    if (stream === undefined) return;
    // The peer does not need the rest of the request.
    if (stream.unsent.length > 0) reset(stream);
    endStream(stream, { kind: 'complete' });
  }

  function onReset(id: number, code: number): void {
    const stream = streams.get(id);
    if (stream) endStream(stream, code === http2Errors.refusedStream ? { kind: 'refused' } : { kind: 'reset', code });
  }

  function onSettings(payload: Buffer): void {
    if (!isReady) peer.maxStreams = Number.POSITIVE_INFINITY;
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      const value = numberAt(payload, at + 2);
      const id = payload.readUInt16BE(at);
      if (id === settingIds.maxConcurrentStreams) peer.maxStreams = value;
      else if (id === settingIds.initialWindow) {
        for (const stream of streams.values()) stream.sendWindow += value - peer.initialWindow;
        peer.initialWindow = value;
      }
    }
    acknowledge(frameTypes.settings, noPayload);
    if (!isReady) {
      isReady = true;
      onReady();
    }
    startWaiting();
    sendBodies();
  }

  function onGoAway(lastProcessedId: number): void {
    isDraining = true;
    for (const stream of streams.values()) if (stream.id > lastProcessedId) endStream(stream, { kind: 'refused' });
    startWaiting();
    closeIfDrained();
  }

  function onWindowUpdate(id: number, bytes: number): void {
    const stream = streams.get(id);
    if (id === 0) connectionSendWindow += bytes;
    else if (stream) stream.sendWindow += bytes;
    sendBodies();
  }

  function sendBodies(): void {
    for (const stream of streams.values()) sendBody(stream);
  }

  function sendBody(stream: OpenStream): void {
    while (stream.unsent.length > 0) {
      const length = Math.min(stream.unsent.length, stream.sendWindow, connectionSendWindow, maxFrameBytes);
      if (length <= 0) return;
      const part = stream.unsent.subarray(0, length);
      stream.unsent = stream.unsent.subarray(length);
      stream.sendWindow -= length;
      connectionSendWindow -= length;
      frames.write(frameTypes.data, stream.unsent.length === 0 ? frameFlags.endStream : 0, stream.id, part);
    }
  }

  function start(stream: OpenStream): void {
    stream.id = nextId;
    nextId += 2;
    if (nextId > lastStreamId) isDraining = true;
    stream.sendWindow = peer.initialWindow;
    streams.set(stream.id, stream);
    frames.write(frameTypes.headers, frameFlags.endHeaders, stream.id, stream.headerBlock);
    sendBody(stream);
  }

  function startWaiting(): void {
    for (const stream of waiting) {
      if (isDraining || isClosed) endStream(stream, { kind: 'refused' });
      else if (streams.size < peer.maxStreams) {
        waiting.delete(stream);
        start(stream);
      }
    }
  }

  function consume(stream: OpenStream, bytes: number): void {
    const update = stream.window.consume(bytes);
    if (update > 0 && streams.has(stream.id)) frames.write(frameTypes.windowUpdate, 0, stream.id, encodeNumbers(update));
  }

  function reset(stream: OpenStream): void {
    frames.write(frameTypes.resetStream, 0, stream.id, encodeNumbers(http2Errors.cancel));
  }

  function endStream(stream: OpenStream, end: StreamEnd): void {
    if (!streams.delete(stream.id) && !waiting.delete(stream)) return;
    stream.events.end(end);
    afterStream();
  }

  function cancel(stream: OpenStream): void {
    if (streams.delete(stream.id)) reset(stream);
    else if (!waiting.delete(stream)) return;
    afterStream();
  }

  function afterStream(): void {
    startWaiting();
    if (streams.size === 0) socket.unref();
    closeIfDrained();
  }

  function closeIfDrained(): void {
    if (isDraining && streams.size === 0) destroy(peerClosed());
  }

  function destroy(error: Error): void {
    if (isClosed) return;
    isClosed = true;
    socket.destroy();
    onClose(error);
    startWaiting();
    const end: StreamEnd = isConnected ? { kind: 'disconnected', error } : { kind: 'unreachable', error };
    for (const stream of streams.values()) endStream(stream, end);
  }

  return {
    get isUsable() {
      return !isClosed && !isDraining;
    },
    open(headerBlock, body, events) {
      const stream: OpenStream = {
        ...{ id: 0, sendWindow: 0, headerBlock, unsent: body, events, window: new ReceiveWindow(receiveWindowBytes.stream) },
      };
      socket.ref();
      if (streams.size < peer.maxStreams) start(stream);
      else waiting.add(stream);
      return {
        consume: (bytes) => consume(stream, bytes),
        cancel: () => cancel(stream),
      };
    },
    destroy,
  };
}

const peerClosed = () => Object.assign(new Error('the peer closed the connection'), { code: 'ECONNRESET' });

function numberAt(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw new ConnectionError(http2Errors.frameSizeError, `frame of ${payload.length} bytes is too short`);
  return payload.readUInt32BE(at);
}
