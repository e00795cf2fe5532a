import { ConnectionError, http2Errors } from './frames.js';

/** What the client lets its peer send before it reads, for a stream and for the connection, in bytes: lists of a usual size need no update. */
export const receiveWindowBytes = { stream: 1024 * 1024, connection: 16 * 1024 * 1024 };

/** The window that both sides have before settings and updates: RFC 9113, section 6.9.2. */
export const initialWindowBytes = 65_535;

/** A receive window: counts what the peer may still send, and returns consumed bytes to it in few large updates. */
export class ReceiveWindow {
  #consumed = 0;
  /** Received bytes that the peer does not have back. */
  #taken = 0;

  constructor(readonly size: number) {}

  /** @throws ConnectionError if the peer sends more than the window admits */
  receive(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken > this.size) {
      throw new ConnectionError(http2Errors.flowControlError, `the peer sent ${this.#taken} bytes into a window of ${this.size}`);
    }
  }

  /** The update to send for the consumed bytes; 0 while it is too small to be worth a frame. */
  consume(bytes: number): number {
    this.#consumed += bytes;
    if (this.#consumed * 2 < this.size) return 0;
    const update = this.#consumed;
    this.#consumed = 0;
    this.#taken -= update;
    return update;
  }
}
