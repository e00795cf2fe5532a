/** What the client lets its peer send before it reads, for a stream and for the connection, in bytes: lists of a usual size need no update. */
export const receiveWindowBytes = { stream: 1024 * 1024, connection: 16 * 1024 * 1024 };

/** The window that both sides have before settings and updates: RFC 9113, section 6.9.2. */
export const initialWindowBytes = 65_535;

/** Counts consumed bytes of a receive window, and returns them to the peer in few large updates. */
export class ReceiveWindow {
  #consumed = 0;

  constructor(readonly size: number) {}

  /** The update to send for the consumed bytes; 0 while it is too small to be worth a frame. */
  consume(bytes: number): number {
    this.#consumed += bytes;
    if (this.#consumed * 2 < this.size) return 0;
    const update = this.#consumed;
    this.#consumed = 0;
    return update;
  }
}
