const prefixBytes = 5;

/** A message with gRPC's prefix: a flag for compression and the length. */
export function encodeMessage(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(prefixBytes + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  message.copy(framed, prefixBytes);
  return framed;
}

/** What a message reader reports. */
export interface MessageEvents {
  /** A complete message. The bytes are valid only during the call. Returns whether to read on. */
  message(bytes: Buffer): boolean;
  /** The stream contains a message that the client does not accept. */
  tooLarge(bytes: number): void;
  compressed(): void;
}

/** Splits the data of a stream, in pieces of any size, into messages. */
export class MessageReader {
  /** A message or prefix of which a part has been received. */
  #partial: Buffer | undefined;
  #filled = 0;

  constructor(
    readonly maxBytes: number,
    readonly events: MessageEvents,
  ) {}

  push(data: Buffer): void {
    let at = 0;
    while (at < data.length) {
      if (this.#partial === undefined && data.length - at >= prefixBytes) {
        const length = this.#checkedLength(data, at);
        if (length === undefined) return;
        const end = at + prefixBytes + length;
        if (end <= data.length) {
          if (!this.events.message(data.subarray(at + prefixBytes, end))) return;
          at = end;
          continue;
        }
        this.#partial = Buffer.allocUnsafe(prefixBytes + length);
      }
      this.#partial ??= Buffer.allocUnsafe(prefixBytes);
      const copied = data.copy(this.#partial, this.#filled, at);
      at += copied;
      this.#filled += copied;
      if (this.#filled === this.#partial.length && !this.#complete(this.#partial)) return;
    }
  }

  /** The partial message has all bytes that its size is known for: of the prefix only, or of the message too. */
  #complete(partial: Buffer): boolean {
    const length = this.#checkedLength(partial, 0);
    if (length === undefined) return false;
    if (partial.length < prefixBytes + length) {
      this.#partial = Buffer.allocUnsafe(prefixBytes + length);
      partial.copy(this.#partial);
      return true;
    }
    this.#partial = undefined;
    this.#filled = 0;
    return this.events.message(partial.subarray(prefixBytes));
  }

  #checkedLength(data: Buffer, at: number): number | undefined {
    const length = data.readUInt32BE(at + 1);
    if (length > this.maxBytes) this.events.tooLarge(length);
    else if (data[at] !== 0) this.events.compressed();
    else return length;
    return undefined;
  }
}
