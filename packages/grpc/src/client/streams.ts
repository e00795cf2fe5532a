import { initialWindowBytes, ReceiveWindow, receiveWindowBytes } from './flow-control.js';
import { encodeNumbers, type FrameWriter, frameFlags, frameTypes, http2Errors, maxFrameBytes } from './frames.js';
import type { Headers } from './hpack.js';

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

/** A request and its response. */
interface OpenStream {
  /** 0 while the stream waits because the peer's maximum number of streams is open. */
  id: number;
  /** What the peer admits of the stream, in bytes. */
  sendWindow: number;
  headerBlock: Buffer;
  /** The part of the body that the peer's windows have not admitted yet. */
  unsent: Buffer;
  events: StreamEvents;
  window: ReceiveWindow;
}

/** What the peer limits; absent if its settings do not change it. */
export interface PeerLimits {
  maxStreams?: number;
  initialWindow?: number;
}

/** The streams of a connection: they start, send and wait as the peer's limits allow. */
export interface Streams {
  /** The number of open streams, without those that wait. */
  readonly size: number;
  /** Whether no further stream may start. */
  readonly isDraining: boolean;
  get(id: number): OpenStream | undefined;
  open(headerBlock: Buffer, body: Buffer, events: StreamEvents): OpenStream;
  /** Lets the peer send as many bytes more. */
  consume(stream: OpenStream, bytes: number): void;
  /** Resets the stream; no event follows. */
  cancel(stream: OpenStream): void;
  /** The peer has ended the stream. */
  complete(id: number): void;
  end(stream: OpenStream, end: StreamEnd): void;
  /** Sets the limits; {@link Streams.resume} makes use of them. */
  limit(limits: PeerLimits): void;
  /** Starts the streams that wait, and sends, as far as the limits allow. */
  resume(): void;
  /** The peer admits more bytes of a stream, or with id 0 of the connection. */
  addSendWindow(id: number, bytes: number): void;
  /** Starts no further stream, and refuses those that wait and those above the id. */
  drain(lastProcessedId: number): void;
  /** Refuses the streams that wait, and ends all others. */
  close(end: StreamEnd): void;
}

/** What every server admits: RFC 9113, section 6.5.2. More could make it close the connection before its settings arrive. */
const maxStreamsBeforeSettings = 100;
const lastStreamId = 2 ** 31 - 1;

/** @param onEnd - called after the end of each stream, once waiting ones have started */
export function createStreams(frames: FrameWriter, onEnd: () => void): Streams {
  return new LimitedStreams(frames, onEnd);
}

class LimitedStreams implements Streams {
  readonly #frames: FrameWriter;
  readonly #onEnd: () => void;
  readonly #open = new Map<number, OpenStream>();
  readonly #waiting = new Set<OpenStream>();
  #maxStreams = maxStreamsBeforeSettings;
  #initialWindow = initialWindowBytes;
  /** What the peer admits of all streams together, in bytes. */
  #sendWindow = initialWindowBytes;
  #nextId = 1;
  #isDraining = false;

  constructor(frames: FrameWriter, onEnd: () => void) {
    this.#frames = frames;
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#open.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get(id: number): OpenStream | undefined {
    return this.#open.get(id);
  }

  open(headerBlock: Buffer, body: Buffer, events: StreamEvents): OpenStream {
    const window = new ReceiveWindow(receiveWindowBytes.stream);
    const stream = { id: 0, sendWindow: 0, headerBlock, unsent: body, events, window };
    if (this.#open.size < this.#maxStreams) this.#start(stream);
    else this.#waiting.add(stream);
    return stream;
  }

  consume(stream: OpenStream, bytes: number): void {
    const update = stream.window.consume(bytes);
    if (update > 0 && this.#open.has(stream.id)) this.#frames.write(frameTypes.windowUpdate, 0, stream.id, encodeNumbers(update));
  }

  cancel(stream: OpenStream): void {
    if (this.#open.delete(stream.id)) this.#reset(stream);
    else if (!this.#waiting.delete(stream)) return;
    this.#ended();
  }

  complete(id: number): void {
    const stream = this.#open.get(id);
    if (stream === undefined) return;
    // The peer does not need the rest of the request.
    if (stream.unsent.length > 0) this.#reset(stream);
    this.end(stream, { kind: 'complete' });
  }

  end(stream: OpenStream, end: StreamEnd): void {
    if (!this.#open.delete(stream.id) && !this.#waiting.delete(stream)) return;
    stream.events.end(end);
    this.#ended();
  }

  limit({ maxStreams = this.#maxStreams, initialWindow = this.#initialWindow }: PeerLimits): void {
    this.#maxStreams = maxStreams;
    for (const stream of this.#open.values()) stream.sendWindow += initialWindow - this.#initialWindow;
    this.#initialWindow = initialWindow;
  }

  resume(): void {
    this.#startWaiting();
    this.#sendBodies();
  }

  addSendWindow(id: number, bytes: number): void {
    const stream = this.#open.get(id);
    if (id === 0) this.#sendWindow += bytes;
    else if (stream) stream.sendWindow += bytes;
    this.#sendBodies();
  }

  drain(lastProcessedId: number): void {
    this.#isDraining = true;
    for (const stream of this.#open.values()) if (stream.id > lastProcessedId) this.end(stream, { kind: 'refused' });
    this.#startWaiting();
  }

  close(end: StreamEnd): void {
    this.#isDraining = true;
    this.#startWaiting();
    for (const stream of this.#open.values()) this.end(stream, end);
  }

  #ended(): void {
    this.#startWaiting();
    this.#onEnd();
  }

  #start(stream: OpenStream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    if (this.#nextId > lastStreamId) this.#isDraining = true;
    stream.sendWindow = this.#initialWindow;
    this.#open.set(stream.id, stream);
    this.#frames.write(frameTypes.headers, frameFlags.endHeaders, stream.id, stream.headerBlock);
    this.#sendBody(stream);
  }

  #startWaiting(): void {
    for (const stream of this.#waiting) {
      if (this.#isDraining) this.end(stream, { kind: 'refused' });
      else if (this.#open.size < this.#maxStreams) {
        this.#waiting.delete(stream);
        this.#start(stream);
      }
    }
  }

  #sendBodies(): void {
    for (const stream of this.#open.values()) this.#sendBody(stream);
  }

  #sendBody(stream: OpenStream): void {
    while (stream.unsent.length > 0) {
      const length = Math.min(stream.unsent.length, stream.sendWindow, this.#sendWindow, maxFrameBytes);
      if (length <= 0) return;
      const part = stream.unsent.subarray(0, length);
      stream.unsent = stream.unsent.subarray(length);
      stream.sendWindow -= length;
      this.#sendWindow -= length;
      this.#frames.write(frameTypes.data, stream.unsent.length === 0 ? frameFlags.endStream : 0, stream.id, part);
    }
  }

  #reset(stream: OpenStream): void {
    this.#frames.write(frameTypes.resetStream, 0, stream.id, encodeNumbers(http2Errors.cancel));
  }
}
