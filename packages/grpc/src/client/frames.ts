/** The types of HTTP/2 frames that a client handles: RFC 9113, section 6. */
export const frameTypes = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** The flags of frames. `endStream` is that of DATA and HEADERS, `ack` that of SETTINGS and PING. */
export const frameFlags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** The error codes of HTTP/2 that the client sends or distinguishes: RFC 9113, section 7. */
export const http2Errors = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
} as const;

/** An error of the whole connection, with its HTTP/2 code. */
export class ConnectionError extends Error {
  constructor(
    readonly http2Code: number,
    message: string,
  ) {
    super(message);
  }
}

export const frameHeaderBytes = 9;

/** The size that every peer accepts and that this client does not raise for itself. */
export const maxFrameBytes = 16_384;

const writeBufferBytes = 4096;

/** Collects frames, so that those of one turn of the event loop are sent together. */
export interface FrameWriter {
  write(type: number, flags: number, streamId: number, payload: Buffer): void;
  /** As `write`, but alone it is sent at the end of the turn: with the next request, if the answer to a call causes one. For acknowledgements. */
  writeLater(type: number, flags: number, streamId: number, payload: Buffer): void;
  /** Sends the frames now. */
  flush(): void;
}

export function createFrameWriter(send: (bytes: Buffer) => void): FrameWriter {
  let frames = Buffer.allocUnsafe(writeBufferBytes);
  let length = 0;
  let isFlushing = false;

  function flush(): void {
    isFlushing = false;
    if (length === 0) return;
    const bytes = frames.subarray(0, length);
    // A small buffer is copied and used again, a large one is passed on.
    if (frames.length === writeBufferBytes) send(Buffer.from(bytes));
    else {
      frames = Buffer.allocUnsafe(writeBufferBytes);
      send(bytes);
    }
    length = 0;
  }

  function append(type: number, flags: number, streamId: number, payload: Buffer): void {
    const start = length;
    length += frameHeaderBytes + payload.length;
    if (length > frames.length) frames = Buffer.concat([frames], Math.max(length, frames.length * 2));
    frames.writeUIntBE(payload.length, start, 3);
    frames[start + 3] = type;
    frames[start + 4] = flags;
    frames.writeUInt32BE(streamId, start + 5);
    payload.copy(frames, start + frameHeaderBytes);
  }

  return {
    write(...frame) {
      if (!isFlushing) process.nextTick(flush);
      isFlushing = true;
      append(...frame);
    },
    writeLater(...frame) {
      if (length === 0) setImmediate(flush);
      append(...frame);
    },
    flush,
  };
}

/** The payload of RST_STREAM, WINDOW_UPDATE and GOAWAY: 32-bit numbers. */
export function encodeNumbers(...numbers: number[]): Buffer {
  const payload = Buffer.allocUnsafe(numbers.length * 4);
  for (const [index, number] of numbers.entries()) payload.writeUInt32BE(number, index * 4);
  return payload;
}

export function encodeSettings(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(settings.length * 6);
  for (const [index, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return payload;
}

/** The content of a padded frame, or of HEADERS with a priority. */
export function withoutPadding(flags: number, payload: Buffer): Buffer {
  let start = 0;
  let end = payload.length;
  if ((flags & frameFlags.padded) !== 0) {
    start = 1;
    end -= payload[0] ?? 0;
  }
  if ((flags & frameFlags.priority) !== 0) start += 5;
  if (start > end) throw new ConnectionError(http2Errors.protocolError, 'padding exceeds its frame');
  return payload.subarray(start, end);
}

/** Receives frames. The payload is valid only during the call. */
export type OnFrame = (type: number, flags: number, streamId: number, payload: Buffer) => void;

/** Creates a function that takes received bytes, in pieces of any size, and calls `onFrame` for each complete frame. */
export function createFrameReader(onFrame: OnFrame): (received: Buffer) => void {
  let rest: Buffer | undefined;
  return (received) => {
    const bytes = rest === undefined ? received : Buffer.concat([rest, received]);
    let at = 0;
    while (bytes.length - at >= frameHeaderBytes) {
      const length = bytes.readUIntBE(at, 3);
      if (length > maxFrameBytes) throw new ConnectionError(http2Errors.frameSizeError, `frame of ${length} bytes`);
      const start = at + frameHeaderBytes;
      if (bytes.length - start < length) break;
      at = start + length;
      onFrame(bytes[start - 6] ?? 0, bytes[start - 5] ?? 0, bytes.readUInt32BE(start - 4) & 0x7fffffff, bytes.subarray(start, at));
    }
    // Copied, because the caller reuses its buffer.
    rest = at === bytes.length ? undefined : Buffer.from(bytes.subarray(at));
  };
}
