import { Duplex } from 'node:stream';
import { streamReset } from '../errors.js';
import { finFlag } from './frames.js';
import type { SpdyHeaders } from './header-block.js';

/** A stream of a SPDY connection. Ending it closes our direction only; destroying it cancels the stream for the peer. */
export interface SpdyStream extends Duplex {
  readonly headers: SpdyHeaders;
}

/** The operations of a connection that its streams use. */
export interface StreamLink {
  data(id: number, chunk: Uint8Array, flags: number, done: (error?: Error | null) => void): void;
  reset(id: number): void;
  forget(id: number): void;
}

/** A stream as its connection drives it. */
export class Stream extends Duplex implements SpdyStream {
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
